import '@mantine/spotlight/styles.css'
import { useMantineColorScheme } from '@mantine/core'
import { Spotlight, spotlight, type SpotlightActionData, type SpotlightFilterFunction } from '@mantine/spotlight'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
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
import classes from './palette.module.css'
import { Icon, type IconName } from './icon.tsx'
import type { StaticPath } from './link.tsx'
import { found_prefix, usePaletteSearch } from './palette-search.tsx'
import { t } from '../texts.ts'

/** Pages have no entry for each of their settings: these lead to the page that has it. */
const settings_entries = () =>
  [
    { label: t('ui.palette.change-your-password'), to: '/account/security', icon: 'lock' },
    { label: t('common.set-up'), to: '/account/security', icon: 'shield' },
    { label: t('ui.palette.see-where-you-are-signed-in'), to: '/account/sessions', icon: 'screen' },
    { label: t('ui.palette.bound-what-an-app-may-spend'), to: '/connected-apps', icon: 'coins' },
    { label: t('ui.palette.disconnect-an-app'), to: '/connected-apps', icon: 'plug' },
    { label: t('ui.palette.unblock-somebody'), to: '/friends', icon: 'ban' },
  ] as const satisfies { label: string; to: StaticPath; icon: IconName }[]

/**
 * The command palette: all pages that the user may open, settings, their apps, and what the service finds: people, payments,
 * deployments. Opens with mod+K.
 */
export default function Palette({ opened, onShortcuts }: { opened: number; onShortcuts: () => void }) {
  const [query, setQuery] = useState('')
  const { found, is_searching, has_failed } = usePaletteSearch(query)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const router = useRouter()
  const { session } = useSession()
  const leave = useSignOut()
  const apps = useApps(session !== undefined)
  useEffect(() => spotlight.open(), [opened])
  useFirstSelected(found.map(({ id }) => id).join())
  const open = staticPages.filter(
    (page) =>
      page.frame !== 'bare' &&
      hasPage(page) &&
      (page.access === 'anyone' ||
        (session && (page.access === undefined || (page.access === 'admin' && session.user.is_admin)))),
  )
  const actions = [
    ...open.map(({ path, title, nav, keywords }) => ({
      id: path,
      label: t(title),
      leftSection: <Icon name={nav?.icon ?? 'right'} />,
      ...(nav && { description: t(spaces[spaceOf(path)].label) }),
      ...(keywords !== undefined && { keywords: t(keywords) }),
      onClick: () => void router.navigate({ to: path }),
    })),
    {
      id: 'docs',
      label: t('common.documentation'),
      keywords: t('ui.palette.documentation-keywords'),
      leftSection: <Icon name="book" />,
      onClick: () => location.assign('/docs'),
    },
    ...apps,
    ...(session ? settings_entries() : []).map(({ label, to, icon }) => ({
      id: `setting ${label}`,
      label,
      description: t('common.settings'),
      leftSection: <Icon name={icon} />,
      onClick: () => void router.navigate({ to }),
    })),
    ...(['auto', 'light', 'dark'] as const)
      .filter((scheme) => scheme !== colorScheme)
      .map((scheme) => ({
        id: `colours ${scheme}`,
        label: scheme_names()[scheme],
        description: t('common.settings'),
        keywords: t('ui.palette.colours-keywords'),
        leftSection: <Icon name={scheme === 'auto' ? 'screen' : scheme === 'light' ? 'sun' : 'moon'} />,
        onClick: () => setColorScheme(scheme),
      })),
    {
      id: 'shortcuts',
      label: t('common.shortcuts'),
      keywords: t('ui.palette.shortcuts-keywords'),
      leftSection: <Icon name="info" />,
      // The focus returns from the palette first.
      onClick: () => setTimeout(onShortcuts),
    },
    ...found,
    ...(session
      ? [{ id: 'out', label: t('common.sign-out'), leftSection: <Icon name="out" />, onClick: () => void leave() }]
      : []),
  ]
  return (
    <Spotlight
      shortcut={null}
      actions={actions}
      filter={find}
      query={query}
      onQueryChange={setQuery}
      classNames={{ actionDescription: classes.description ?? '' }}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound={
        is_searching
          ? t('common.searching')
          : has_failed
            ? t('ui.palette.no-page-or-app-has-these')
            : t('ui.palette.nothing-has-these-words')
      }
      searchProps={{
        placeholder: session ? t('ui.palette.find-a-page-an-app-a') : t('common.go-to-a-page'),
        'aria-label': t('ui.palette.what-do-you-look-for'),
        leftSection: <Icon name="search" />,
      }}
    />
  )
}

/** Results of the service arrive after the library has selected the first entry. If there was none, Enter must open the first result. */
function useFirstSelected(shown: string) {
  useEffect(() => {
    const [first] = document.querySelectorAll('[role=dialog] [data-action]')
    if (!first?.parentElement?.querySelector('[data-selected]')) first?.setAttribute('data-selected', 'true')
  }, [shown])
}

const scheme_names = () => ({
  auto: t('ui.palette.colours-like-the-system'),
  light: t('ui.palette.light-colours'),
  dark: t('ui.palette.dark-colours'),
})

const isFound = ({ id }: SpotlightActionData) => id.startsWith(found_prefix)

/** Entries that are here are filtered, and shown before what the service found. */
const find: SpotlightFilterFunction = (query, actions) => {
  const entries = actions.filter((action): action is SpotlightActionData => 'id' in action)
  const here = searchEntries(
    query,
    entries.filter((one) => !isFound(one)),
  )
  return [...here, ...entries.filter((one) => isFound(one))]
}

/** The user's own apps and connected apps. */
function useApps(signed_in: boolean): SpotlightActionData[] {
  const router = useRouter()
  const own = useApiQuery(listMyApps, {}, { enabled: signed_in }).data ?? []
  const connected = useApiQuery(listConnectedApps, {}, { enabled: signed_in }).data?.connected_apps ?? []
  return [
    ...own.map(({ id, app_name }) => ({
      id: `own ${id}`,
      label: app_name,
      description: t('common.my-apps'),
      leftSection: <Icon name="app" />,
      onClick: () => void router.navigate({ to: '/apps/$id', params: { id } }),
    })),
    ...connected.map(({ app_id, app_name }) => ({
      id: `connected ${app_id}`,
      label: app_name,
      description: t('common.connected-apps'),
      leftSection: <Icon name="plug" />,
      onClick: () => void router.navigate({ to: '/connected-apps' }),
    })),
  ]
}
