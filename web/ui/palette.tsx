import '@mantine/spotlight/styles.css'
import { Spotlight, spotlight, type SpotlightActionData, type SpotlightFilterFunction } from '@mantine/spotlight'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { listConnectedApps } from '../../contract/oauth.ts'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { useApiQuery } from '../api/hooks.ts'
import { spaces } from '../page.ts'
import { staticPages } from '../static-pages.ts'
import { useSession } from '../session/session.ts'
import { hasPage } from '../settings.ts'
import { useSignOut } from '../session/sign-out.ts'
import { searchEntries } from './search-entries.ts'
import { spaceOf } from './spaces.ts'
import { Icon } from './icon.tsx'

/** The command palette: all pages that the user may open, and their apps. Opens with mod+K. */
export default function Palette({ opened }: { opened: number }) {
  const router = useRouter()
  const { session } = useSession()
  const leave = useSignOut()
  const apps = useApps(session !== undefined)
  useEffect(() => spotlight.open(), [opened])
  const open = staticPages.filter(
    (page) =>
      page.frame !== 'bare' &&
      hasPage(page) &&
      (page.access === 'anyone' ||
        (session && (page.access === 'user' || (page.access === 'admin' && session.user.is_admin)))),
  )
  const actions = [
    ...open.map(({ path, title, nav, keywords }) => ({
      id: path,
      label: title,
      leftSection: <Icon name={nav?.icon ?? 'right'} />,
      ...(nav && { description: spaces[spaceOf(path)].label }),
      ...(keywords !== undefined && { keywords }),
      onClick: () => void router.navigate({ to: path }),
    })),
    {
      id: 'docs',
      label: 'Documentation',
      keywords: 'docs api reference guides openapi',
      leftSection: <Icon name="book" />,
      onClick: () => location.assign('/docs'),
    },
    ...apps,
    ...(session
      ? [{ id: 'out', label: 'Sign out', leftSection: <Icon name="out" />, onClick: () => void leave() }]
      : []),
  ]
  return (
    <Spotlight
      shortcut={null}
      actions={actions}
      filter={find}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound="No page or app has these words."
      searchProps={{
        placeholder: 'Go to a page or an app',
        'aria-label': 'Go to a page or an app',
        leftSection: <Icon name="search" />,
      }}
    />
  )
}

const find: SpotlightFilterFunction = (query, actions) =>
  searchEntries(
    query,
    actions.filter((action): action is SpotlightActionData => 'id' in action),
  )

/** The user's own apps and connected apps. */
function useApps(signed_in: boolean): SpotlightActionData[] {
  const router = useRouter()
  const own = useApiQuery(listMyApps, {}, { enabled: signed_in }).data ?? []
  const connected = useApiQuery(listConnectedApps, {}, { enabled: signed_in }).data?.connected_apps ?? []
  return [
    ...own.map(({ id, app_name }) => ({
      id: `own ${id}`,
      label: app_name,
      description: 'My apps',
      leftSection: <Icon name="app" />,
      onClick: () => void router.navigate({ to: '/apps/$id', params: { id } }),
    })),
    ...connected.map(({ app_id, app_name }) => ({
      id: `connected ${app_id}`,
      label: app_name,
      description: 'Connected apps',
      leftSection: <Icon name="plug" />,
      onClick: () => void router.navigate({ to: '/connected-apps' }),
    })),
  ]
}
