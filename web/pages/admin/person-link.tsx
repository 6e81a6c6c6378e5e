import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'

/** The name of a person, which leads to their page. */
export const PersonLink = ({ id, name }: { id: string | null; name: string | null }) =>
  id === null ? (
    <>{t('common.somebody-who-left')}</>
  ) : (
    <Link to="/admin/users/$id" params={{ id }} size="sm" className="user-content">
      {name ?? t('common.deleted-account')}
    </Link>
  )
