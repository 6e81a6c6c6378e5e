import { useRouter } from '@tanstack/react-router'
import { listConnectedApps } from '../../contract/oauth.ts'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { useApiQuery } from '../api/hooks.ts'
import { spaces } from '../page.ts'
import { useSession } from '../session/session.ts'
import { useSignOut } from '../session/sign-out.ts'
import { hasPage } from '../settings.ts'
import { staticPages } from '../static-pages.ts'
import { language, t } from '../texts.ts'
import type { IconName } from './icon.tsx'
import type { StaticPath } from './link.tsx'
import { chooseLanguage, otherLanguages, useOtherColours } from './preferences.ts'
import { space_keys, useSingleKeys } from './shortcuts.ts'
import { mayOpen } from '../session/roles.ts'
import { spaceOf } from './spaces.ts'

/** The groups of the palette, in their order. */
export const groups = ['actions', 'pages', 'people', 'apps', 'payments', 'guides'] as const

export interface Entry {
  id: string
  group: (typeof groups)[number]
  icon: IconName
  label: string
  /** Its location, on the right. */
  hint?: string
  keywords?: string
  /** The equivalent keys, on the right. */
  keys?: readonly string[]
  open: () => unknown
}

/** The entries that need no search: actions, all pages that the user may open, and their apps. */
export function usePaletteEntries(onShortcuts: () => void): Entry[] {
  return [...useActions(onShortcuts), ...usePages(), ...useApps()]
}

function useActions(onShortcuts: () => void): Entry[] {
  const router = useRouter()
  const { session } = useSession()
  const leave = useSignOut()
  const has_keys = useSingleKeys()
  const languages = otherLanguages().map(({ code, name }) => ({
    id: `language ${code}`,
    icon: 'globe' as const,
    label: name,
    hint: t('ui.language-select.language'),
    keywords: [t('ui.palette.language-keywords'), nameIn('en', code), nameIn(language, code)].join(' '),
    open: () => chooseLanguage(code),
  }))
  const colours = useOtherColours().map(({ scheme, label, icon, choose }) => ({
    id: `colours ${scheme}`,
    icon,
    label,
    keywords: t('ui.palette.colours-keywords'),
    open: choose,
  }))
  const settings = settings_entries().map(({ to, ...entry }) => ({
    ...entry,
    id: `setting ${entry.label}`,
    hint: t('common.settings'),
    open: () => router.navigate({ to }),
  }))
  const shortcuts = {
    id: 'shortcuts',
    icon: 'info' as const,
    label: t('common.shortcuts'),
    keywords: t('ui.palette.shortcuts-keywords'),
    ...(has_keys && { keys: ['?'] }),
    // The focus first returns from the palette.
    open: () => setTimeout(onShortcuts),
  }
  const sign_out = {
    id: 'out',
    icon: 'out' as const,
    label: t('common.sign-out'),
    keywords: t('ui.palette.sign-out-keywords'),
    open: leave,
  }
  const all = [...languages, ...colours, shortcuts, ...(session ? [sign_out, ...settings] : [])]
  return all.map((entry) => ({ ...entry, group: 'actions' }))
}

const nameIn = (locale: string, code: string) => new Intl.DisplayNames([locale], { type: 'language' }).of(code) ?? code

/** Settings have no separate pages: each entry links to the page that contains the setting. */
const settings_entries = () =>
  [
    {
      label: t('people.send-form.send-points'),
      to: '/points',
      icon: 'send',
      keywords: t('ui.palette-search.verbs-of-a-payment'),
    },
    { label: t('ui.palette.change-your-password'), to: '/account/security', icon: 'lock' },
    {
      label: t('common.set-up'),
      to: '/account/security',
      icon: 'shield',
      keywords: t('ui.palette.second-factor-keywords'),
    },
    { label: t('ui.palette.see-where-you-are-signed-in'), to: '/account/sessions', icon: 'screen' },
    { label: t('ui.palette.bound-what-an-app-may-spend'), to: '/connected-apps', icon: 'coins' },
    { label: t('ui.palette.disconnect-an-app'), to: '/connected-apps', icon: 'plug' },
    { label: t('ui.palette.unblock-somebody'), to: '/friends', icon: 'ban' },
  ] as const satisfies { label: string; to: StaticPath; icon: IconName; keywords?: string }[]

function usePages(): Entry[] {
  const router = useRouter()
  const { session } = useSession()
  const has_keys = useSingleKeys()
  const pages = staticPages
    .filter(
      ({ frame, sandbox, nav, keywords, ...page }) =>
        frame !== 'bare' &&
        (nav !== undefined || keywords !== undefined) &&
        hasPage(sandbox ? { sandbox } : {}) &&
        (page.access === 'anyone' || (session && page.access !== 'guest' && mayOpen(page, session.user))),
    )
    .map(({ path, title, nav, keywords }): Entry => {
      const space = spaceOf(path)
      const is_home = spaces[space].home === path && session && has_keys
      return {
        id: path,
        group: 'pages',
        icon: nav?.icon ?? 'right',
        label: t(title),
        ...(nav && { hint: t(spaces[space].label) }),
        ...(keywords !== undefined && { keywords: t(keywords) }),
        ...(is_home && { keys: ['G', space_keys[space].toUpperCase()] }),
        open: () => router.navigate({ to: path }),
      }
    })
  const docs = { id: 'docs', icon: 'book', label: t('common.documentation') } as const
  const keywords = t('ui.palette.documentation-keywords')
  return [...pages, { ...docs, group: 'pages', keywords, open: () => location.assign('/docs') }]
}

/** The user's own apps, each with a new secret, and connected apps. */
function useApps(): Entry[] {
  const router = useRouter()
  const enabled = useSession().session !== undefined
  const own = useApiQuery(listMyApps, {}, { enabled }).data ?? []
  const connected = useApiQuery(listConnectedApps, {}, { enabled }).data?.connected_apps ?? []
  return [
    ...own.flatMap(({ id, app_name }): Entry[] => [
      {
        id: `own ${id}`,
        group: 'apps',
        icon: 'app',
        label: app_name,
        hint: t('common.my-apps'),
        open: () => router.navigate({ to: '/apps/$id', params: { id } }),
      },
      {
        id: `secret ${id}`,
        group: 'actions',
        icon: 'key',
        label: t('ui.palette.new-secret'),
        hint: app_name,
        keywords: t('ui.palette.new-secret-keywords'),
        open: () =>
          router.navigate({ to: '/apps/$id', params: { id }, search: { tab: 'developers' }, hash: 'secrets' }),
      },
    ]),
    ...connected.map(({ app_id, app_name }): Entry => ({
      id: `connected ${app_id}`,
      group: 'apps',
      icon: 'plug',
      label: app_name,
      hint: t('common.connected-apps'),
      open: () => router.navigate({ to: '/connected-apps' }),
    })),
  ]
}
