import { adminGetApp } from '../../../contract/admin-apps.ts'
import { useMay } from '../../session/rights.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'

/** The name of an app, with a link to its page if the viewer may open it. */
export function AppLink({ id, name }: { id: string; name: string | null }) {
  const text = name ?? t('common.an-app-that-is-gone')
  if (!useMay(adminGetApp)) return <bdi className="user-content">{text}</bdi>
  return (
    <Link to="/admin/apps/$id" params={{ id }} size="sm" className="user-content">
      {text}
    </Link>
  )
}
