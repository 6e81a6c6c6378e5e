import { spaces, type Space } from '../page.ts'
import { mayOpen } from '../session/roles.ts'
import { staticPages, type StaticPage } from '../static-pages.ts'

/** The navigation entry that a path is at or below; the longest if there are several. */
export const entryOf = (path: string): StaticPage | undefined =>
  staticPages
    .filter(({ nav, path: known }) => nav && (path === known || (known !== '/' && path.startsWith(`${known}/`))))
    .toSorted((one, other) => other.path.length - one.path.length)[0]

const names = Object.keys(spaces) as Space[]
const has = (space: Space, area: string) => spaces[space].areas.some((known) => known === area)

/** The space of the page at a path: that of its entry, otherwise the personal one. */
export function spaceOf(path: string): Space {
  const area = entryOf(path)?.nav?.area
  return names.find((space) => area !== undefined && has(space, area)) ?? 'personal'
}

type Viewer = Parameters<typeof mayOpen>[1]

/** The spaces available to a person. Everybody can build: that space's first page is for registering an app. */
export const spacesFor = ({ is_admin }: Viewer): Space[] => names.filter((space) => space !== 'admin' || is_admin)

/** The areas of a space, with their pages that `isShown` accepts and this person may open. */
export const areasOf = (space: Space, viewer: Viewer, isShown: (page: StaticPage) => boolean = () => true) =>
  spaces[space].areas
    .map((area) => ({
      area,
      pages: staticPages.filter((page) => page.nav?.area === area && isShown(page) && mayOpen(page, viewer)),
    }))
    .filter(({ pages }) => pages.length > 0)
