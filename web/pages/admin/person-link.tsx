import { adminGetUser } from '../../../contract/admin-users.ts'
import { useMay } from '../../session/rights.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'

/** The name of a person, with a link to their page if the viewer may open it. */
export function PersonLink({ id, name }: { id: string | null; name: string | null }) {
  const may = useMay(adminGetUser)
  if (id === null) return <>{t('common.somebody-who-left')}</>
  const text = name ?? t('common.deleted-account')
  if (!may) return <bdi className="user-content">{text}</bdi>
  return (
    <Link to="/admin/users/$id" params={{ id }} size="sm" className="user-content">
      {text}
    </Link>
  )
}
