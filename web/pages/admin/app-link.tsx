import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'

/** The name of an app, which leads to its page. */
export const AppLink = ({ id, name }: { id: string; name: string | null }) => (
  <Link to="/admin/apps/$id" params={{ id }} size="sm" className="user-content">
    {name ?? t('common.an-app-that-is-gone')}
  </Link>
)
