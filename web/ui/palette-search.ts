import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { adminListUsers } from '../../contract/admin.ts'
import { adminListApps } from '../../contract/admin-apps.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { adminListDeployments } from '../../contract/admin-deployments.ts'
import { adminGetTransfer } from '../../contract/admin-payments.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { mayNow } from '../session/rights.tsx'
import { searchMyApps } from '../../contract/app-payments.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { isId } from '../../contract/schema.ts'
import { searchUsers, user_search_min } from '../../contract/social.ts'
import { callApi } from '../api/call.ts'
import { queryClient } from '../api/hooks.ts'
import { useSession } from '../session/session.ts'
import { language, t } from '../texts.ts'
import type { IconName } from './icon.tsx'
import type { Entry } from './palette-entries.ts'
import { formatPoints } from './format.tsx'
import { paymentIn, searchEntries } from './search-entries.ts'

const settled_after_ms = 250
const shown_max = 5
const words_max = 64
const subdomain_max = 63
const keep_ms = 30_000

type Router = ReturnType<typeof useRouter>
type Found = readonly [id: string, icon: IconName, label: string, hint: string, open: (router: Router) => unknown]

interface Search {
  /** The viewers who may make it. */
  of: 'visitors too' | 'anybody' | 'others' | Declaration
  group: Entry['group']
  max?: number
  /** Reads and returns the entries to show. */
  find: (q: string) => Promise<Found[]>
}

/** One read for both kinds of entries. */
const searchOwn = (q: string) =>
  queryClient.query({
    queryKey: ['palette', 'own', q],
    queryFn: () => callApi(searchMyApps, { query: { q } }),
    staleTime: keep_ms,
    gcTime: keep_ms,
    retry: false,
  })

interface DocsEntry {
  href: string
  title: string
  place: string
  text: string
}

/** The search index of the documentation. */
const readDocs = () =>
  queryClient.query({
    queryKey: ['palette', 'docs'],
    queryFn: async () => (await (await fetch('/docs/search.json')).json()) as DocsEntry[],
    staleTime: Infinity,
  })

/** The guide for people in the language that the console does not have. */
const in_other_language = language === 'de' ? /\/for-people(?:#|$)/ : /\/for-people-de(?:#|$)/

/** The service's searches, by name. */
const searches: Record<string, Search> = {
  // Admins find accounts, also by address and id; others find people by the beginning of their name.
  accounts: {
    of: adminListUsers,
    group: 'people',
    find: async (q) =>
      (await callApi(adminListUsers, { query: { q } })).data
        .slice(0, shown_max)
        .map(({ id, username, email }) => [
          `account ${id}`,
          'user',
          username,
          t('ui.palette-search.account', { email }),
          (router) => router.navigate({ to: '/admin/users', search: { q: id } }),
        ]),
  },
  people: {
    of: 'others',
    group: 'people',
    find: async (q) =>
      (await callApi(searchUsers, { query: { q } })).users
        .slice(0, shown_max)
        .map(({ id, username }) => [
          `person ${id}`,
          'user',
          username,
          t('console.page.people'),
          (router) => router.navigate({ to: '/u/$username', params: { username } }),
        ]),
  },
  // `Send 20 to ann`: opens the page of the person with the amount filled in.
  payment: {
    of: 'anybody',
    group: 'actions',
    find: async (q) => {
      const payment = paymentIn(
        q,
        t('ui.palette-search.verbs-of-a-payment'),
        t('ui.palette-search.particles-of-a-payment'),
      )
      if (!payment || [...payment.name].length < user_search_min) return []
      const { users } = await callApi(searchUsers, { query: { q: payment.name } })
      const points = formatPoints(payment.amount)
      return users.slice(0, shown_max).map(({ id, username }) => [
        `pay ${id}`,
        'send',
        t('ui.palette-search.send', { points, username }),
        t('common.points'),
        (router) =>
          router.navigate({
            to: '/u/$username',
            params: { username },
            search: { amount: String(payment.amount) },
          }),
      ])
    },
  },
  // The person's movements with this reference, such as an app's order number.
  movements: {
    of: 'anybody',
    group: 'payments',
    find: async (q) =>
      (await callApi(myPointsHistory, { query: { reference: q } })).data
        .slice(0, 1)
        .map(() => [
          'movements',
          'coins',
          t('ui.palette-search.reference', { q }),
          t('ui.palette-search.your-points'),
          (router) => router.navigate({ to: '/points', search: { reference: q } }),
        ]),
  },
  // The person's deployments by name.
  deployments: {
    of: 'anybody',
    group: 'apps',
    find: async (q) =>
      (await searchOwn(q)).deployments
        .slice(0, shown_max)
        .map(({ id, app_id, app_name, subdomain }) => [
          `deployment ${id}`,
          'box',
          subdomain,
          t('ui.palette-search.deployment-of', { app_name }),
          (router) => router.navigate({ to: '/deployments/$id', params: { id }, search: { app: app_id } }),
        ]),
  },
  // The person's apps with payments with this reference.
  payments: {
    of: 'anybody',
    group: 'payments',
    find: async (q) =>
      (await searchOwn(q)).payments
        .slice(0, shown_max)
        .map(({ app_id, app_name }) => [
          `payments ${app_id}`,
          'scroll',
          t('ui.palette-search.reference', { q }),
          t('ui.palette-search.payments-of', { app_name }),
          (router) =>
            router.navigate({ to: '/apps/$id', params: { id: app_id }, search: { tab: 'payments', reference: q } }),
        ]),
  },
  // All apps; each opens the page of its owner.
  'all apps': {
    of: adminListApps,
    group: 'apps',
    find: async (q) =>
      (await callApi(adminListApps, { query: { q, limit: shown_max } })).data.map(
        ({ id, app_name, owner_username, team_name }) => [
          `app ${id}`,
          'app',
          app_name,
          t('ui.palette-search.app-of', { owner_username: team_name ?? owner_username }),
          (router) => router.navigate({ to: '/admin/apps/$id', params: { id } }),
        ],
      ),
  },
  guides: {
    of: 'visitors too',
    group: 'guides',
    find: async (q) => {
      const guides = (await readDocs()).filter(
        ({ place, href }) => place.startsWith('Guide') && !in_other_language.test(href),
      )
      const entries = guides.map(({ title, text, ...rest }) => ({ label: title, keywords: text, ...rest }))
      return searchEntries(q, entries)
        .slice(0, shown_max)
        .map(({ href, label, place }) => [`guide ${href}`, 'book', label, place, () => location.assign(href)])
    },
  },
  'all deployments': {
    of: adminListDeployments,
    group: 'apps',
    max: subdomain_max,
    find: async (q) =>
      (await callApi(adminListDeployments, { query: { q, limit: shown_max } })).data.map(({ id, subdomain }) => [
        `any deployment ${id}`,
        'box',
        subdomain,
        t('common.all-deployments'),
        (router) => router.navigate({ to: '/admin/deployments/$id', params: { id } }),
      ]),
  },
}

/** The pages where an admin can look up an id. */
const byId = (id: string): Found[] => {
  const found: (Found | false)[] = [
    mayNow(adminGetTransfer) && [
      'payment',
      'scroll',
      t('ui.palette-search.the-movement-with-this-id'),
      t('common.payments'),
      (router) => router.navigate({ to: '/admin/payments', search: { view: 'transfer', id } }),
    ],
    mayNow(adminListDeployments) && [
      'app deployments',
      'box',
      t('ui.palette-search.deployments-of-the-app-with-this'),
      t('common.all-deployments'),
      (router) => router.navigate({ to: '/admin/deployments', search: { app_id: id } }),
    ],
    mayNow(listAudit) && [
      'audit',
      'scroll',
      t('ui.palette-search.what-was-done-to-what-has'),
      t('common.audit-log'),
      (router) => router.navigate({ to: '/admin/audit', search: { target_id: id } }),
    ],
  ]
  return found.filter((one) => one !== false)
}

/**
 * Entries that the service finds for the typed words, once typing pauses. They are limited to what the person may see.
 */
export function usePaletteSearch(typed: string) {
  const router = useRouter()
  const { session } = useSession()
  const words = typed.trim()
  const [q] = useDebouncedValue(words, settled_after_ms)
  const is_admin = session?.user.is_admin === true
  const is_long = [...q].length >= user_search_min
  const mayMake = ({ of }: Search) =>
    of === 'visitors too' || (session && (of === 'anybody' || (of === 'others' ? !is_admin : mayNow(of))))
  const made = Object.entries(searches).filter(
    ([, search]) => is_long && q.length <= (search.max ?? words_max) && mayMake(search),
  )
  const answers = useQueries({
    queries: made.map(([name, { find, group }]) => ({
      queryKey: ['palette', name, q],
      queryFn: async () => (await find(q)).map((found) => ({ found, group })),
      staleTime: keep_ms,
      gcTime: keep_ms,
      retry: false,
    })),
  })
  const by_id = is_long && is_admin && isId(q) ? byId(q).map((found) => ({ found, group: 'payments' as const })) : []
  return {
    found: [...answers.flatMap(({ data = [] }) => data), ...by_id].map(
      ({ found: [id, icon, label, hint, open], group }): Entry => ({
        id: `found ${id}`,
        group,
        icon,
        label,
        hint,
        open: () => open(router),
      }),
    ),
    is_searching: words !== q || answers.some(({ isFetching }) => isFetching),
    has_failed: answers.some(({ isError }) => isError),
  }
}
