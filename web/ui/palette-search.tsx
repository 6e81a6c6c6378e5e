import type { SpotlightActionData } from '@mantine/spotlight'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, type UseQueryOptions } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { adminListApps, adminListUsers } from '../../contract/admin.ts'
import { adminListDeployments } from '../../contract/admin-deployments.ts'
import { searchMyApps } from '../../contract/app-payments.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { isId } from '../../contract/schema.ts'
import { searchUsers, user_search_min } from '../../contract/social.ts'
import { callApi } from '../api/call.ts'
import { useSession } from '../session/session.ts'
import { Icon, type IconName } from './icon.tsx'
import { t } from '../texts.ts'

/** Found by the service: it is shown as it came, and not filtered again. */
export const found_prefix = 'found '

const settled_after_ms = 250
const shown_max = 5
const words_max = 64
const subdomain_max = 63
const keep_ms = 30_000

type Router = ReturnType<typeof useRouter>

const entry = (id: string, icon: IconName, label: string, description: string, onClick: () => void) => ({
  id: `${found_prefix}${id}`,
  label,
  description,
  leftSection: <Icon name={icon} />,
  onClick,
})

/** One search: a read, and what of its answer is shown. */
interface Search {
  query: UseQueryOptions<SpotlightActionData[]>
}

const search = <Answer,>(
  name: string,
  q: string,
  read: () => Promise<Answer>,
  show: (answer: Answer) => SpotlightActionData[],
): Search => ({
  query: {
    queryKey: ['palette', name, q],
    queryFn: async () => show(await read()),
    staleTime: keep_ms,
    gcTime: keep_ms,
    retry: false,
  },
})

/** People by the beginning of their name; admins find accounts, by address and id too. */
const searchPeople = (q: string, is_admin: boolean, router: Router) =>
  is_admin
    ? search(
        'accounts',
        q,
        () => callApi(adminListUsers, { query: { q } }),
        ({ data }) =>
          data
            .slice(0, shown_max)
            .map(({ id, username, email }) =>
              entry(
                `account ${id}`,
                'user',
                username,
                t('ui.palette-search.account', { email }),
                () => void router.navigate({ to: '/admin/users', search: { q: id } }),
              ),
            ),
      )
    : search(
        'people',
        q,
        () => callApi(searchUsers, { query: { q } }),
        ({ users }) =>
          users
            .slice(0, shown_max)
            .map(({ id, username }) =>
              entry(
                `person ${id}`,
                'user',
                username,
                t('console.page.people'),
                () => void router.navigate({ to: '/people', search: { q: username } }),
              ),
            ),
      )

/** Movements of the person's own points with this reference: the order number of an app. */
const searchMovements = (q: string, router: Router) =>
  search(
    'movements',
    q,
    () => callApi(myPointsHistory, { query: { reference: q } }),
    ({ data }) =>
      data.length === 0
        ? []
        : [
            entry(
              'movements',
              'coins',
              t('ui.palette-search.reference', { q }),
              t('ui.palette-search.your-points'),
              () => void router.navigate({ to: '/points', search: { reference: q } }),
            ),
          ],
  )

/** Own deployments by their name, and own apps with payments of this reference. */
const searchOwn = (q: string, router: Router) =>
  search(
    'own',
    q,
    () => callApi(searchMyApps, { query: { q } }),
    ({ deployments, payments }) => [
      ...deployments
        .slice(0, shown_max)
        .map(({ id, app_id, app_name, subdomain }) =>
          entry(
            `deployment ${id}`,
            'box',
            subdomain,
            t('ui.palette-search.deployment-of', { app_name }),
            () => void router.navigate({ to: '/deployments/$id', params: { id }, search: { app: app_id } }),
          ),
        ),
      ...payments.slice(0, shown_max).map(({ app_id, app_name }) =>
        entry(
          `payments ${app_id}`,
          'scroll',
          t('ui.palette-search.reference', { q }),
          t('ui.palette-search.payments-of', { app_name }),
          () =>
            void router.navigate({
              to: '/apps/$id',
              params: { id: app_id },
              search: { tab: 'payments', reference: q },
            }),
        ),
      ),
    ],
  )

/** Apps of anybody, by the beginning of their name: each leads to its owner, whose page has it. */
const searchAllApps = (q: string, router: Router) =>
  search(
    'all apps',
    q,
    () => callApi(adminListApps, { query: { q, limit: shown_max } }),
    ({ data }) =>
      data.map(({ id, app_name, owner_id, owner_username }) =>
        entry(
          `app ${id}`,
          'app',
          app_name,
          t('ui.palette-search.app-of', { owner_username }),
          () => void router.navigate({ to: '/admin/users/$id', params: { id: owner_id }, search: { tab: 'apps' } }),
        ),
      ),
  )

/** Deployments of anybody, by the beginning of their name. */
const searchAllDeployments = (q: string, router: Router) =>
  search(
    'all deployments',
    q,
    () => callApi(adminListDeployments, { query: { q, limit: shown_max } }),
    ({ data }) =>
      data.map(({ id, subdomain }) =>
        entry(
          `any deployment ${id}`,
          'box',
          subdomain,
          t('common.all-deployments'),
          () => void router.navigate({ to: '/admin/deployments/$id', params: { id } }),
        ),
      ),
  )

/** What an id may be of: only admins can look one up. */
const byId = (id: string, router: Router): SpotlightActionData[] => [
  entry(
    'payment',
    'scroll',
    t('ui.palette-search.the-movement-with-this-id'),
    t('common.payments'),
    () => void router.navigate({ to: '/admin/payments', search: { view: 'transfer', id } }),
  ),
  entry(
    'app deployments',
    'box',
    t('ui.palette-search.deployments-of-the-app-with-this'),
    t('common.all-deployments'),
    () => void router.navigate({ to: '/admin/deployments', search: { app_id: id } }),
  ),
  entry(
    'audit',
    'scroll',
    t('ui.palette-search.what-was-done-to-what-has'),
    t('common.audit-log'),
    () => void router.navigate({ to: '/admin/audit', search: { target_id: id } }),
  ),
]

/** What the service finds for the words in the palette, once typing pauses: only what the person may see. */
export function usePaletteSearch(typed: string) {
  const router = useRouter()
  const { session } = useSession()
  const words = typed.trim()
  const [q] = useDebouncedValue(words, settled_after_ms)
  const is_admin = session?.user.is_admin === true
  const is_long = session !== undefined && [...q].length >= user_search_min
  const searches =
    is_long && q.length <= words_max
      ? [
          searchPeople(q, is_admin, router),
          searchMovements(q, router),
          searchOwn(q, router),
          ...(is_admin ? [searchAllApps(q, router)] : []),
          ...(is_admin && q.length <= subdomain_max ? [searchAllDeployments(q, router)] : []),
        ]
      : []
  const answers = useQueries({ queries: searches.map(({ query }) => query) })
  return {
    found: is_long
      ? [...answers.flatMap(({ data }) => data ?? []), ...(is_admin && isId(q) ? byId(q, router) : [])]
      : [],
    is_searching: session !== undefined && (words !== q || answers.some(({ isFetching }) => isFetching)),
    has_failed: answers.some(({ isError }) => isError),
  }
}
