import type { Page } from 'playwright-core'
import { authorizationOf } from '../../examples/world/consent.ts'
import type { ExampleWorld } from '../../examples/world/world.ts'

export type Viewer = 'nobody' | 'user' | 'operator' | 'admin'

interface Address {
  at?: (world: ExampleWorld) => string
  as?: Viewer
  /** Actions before the page shows its main content. */
  act?: (tab: Page) => Promise<void>
}

const openAccess = async (tab: Page) => {
  await tab.getByRole('button', { name: 'Open access' }).click()
  await tab.getByRole('button', { name: 'Open access' }).waitFor({ state: 'detached' })
}

/**
 * The URLs of pages with path parameters, or with little content without search parameters; for other pages the path.
 * `as` overrides the viewer: by default the admin for admin pages, nobody for guest pages, otherwise the user.
 */
export const addresses: Record<string, Address> = {
  '/oauth/authorize': {
    at: ({ app }) => `/oauth/authorize?${authorizationOf(app, 'profile:read points:read points:spend').toString()}`,
  },
  '/forgot-password': { as: 'nobody' },
  '/u/$username': { at: () => '/u/bela' },
  '/people': { at: () => '/people?q=be' },
  '/admin/users/$id': { at: ({ user_id }) => `/admin/users/${user_id}` },
  '/admin/deployments/$id': { at: ({ deployment_id }) => `/admin/deployments/${deployment_id}` },
  '/admin/apps/$id': { at: ({ app }) => `/admin/apps/${app.id}` },
  '/confirm-address': { as: 'nobody' },
  '/admin/ledger': { act: (tab) => tab.getByRole('button', { name: 'Run the check' }).click() },
  '/learning/$module': { at: () => '/learning/1' },
  '/learning/$module/$step': { at: () => '/learning/2/basics-what-a-wallet-holds' },
  '/reset-password': { as: 'nobody' },
  '/apps': { as: 'operator' },
  '/apps/new': { as: 'operator' },
  '/apps/$id': { as: 'operator', at: ({ app }) => `/apps/${app.id}` },
  '/cli': { as: 'operator', at: () => `/cli?port=1&state=s&name=laptop&code_challenge=${'c'.repeat(43)}` },
  '/teams': { as: 'operator' },
  '/teams/$id': { as: 'operator', at: ({ team_id }) => `/teams/${team_id}` },
  '/playground': {
    as: 'operator',
    act: (tab) => tab.getByRole('button', { name: 'Make the proof key' }).click(),
  },
  '/deployments': { as: 'operator', act: openAccess },
  '/deployments/new': { as: 'operator', act: openAccess },
  '/deployments/$id': {
    as: 'operator',
    at: ({ app, deployment_id }) => `/deployments/${deployment_id}?app=${app.id}`,
    act: openAccess,
  },
}

export const viewerOf = ({ path, access }: { path: string; access?: string }): Viewer =>
  addresses[path]?.as ?? (access === 'admin' ? 'admin' : access === 'guest' ? 'nobody' : 'user')
