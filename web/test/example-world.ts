import { createHash } from 'node:crypto'
import { PlazaClient } from '../../contract/client.ts'
import { login, register } from '../../contract/accounts.ts'
import { approveApp, awardPoints } from '../../contract/admin.ts'
import { chooseLearningPath, completeStep, listModules } from '../../contract/learning.ts'
import { createApp } from '../../contract/oauth-apps.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { spendPoints } from '../../contract/points.ts'
import { setEmailVerified } from '../../server/accounts/store.ts'
import type { Service } from '../../server/processes/start.ts'
import type { Page } from 'playwright-core'
import { allowHosting, addExampleDeployments } from './example-hosting.ts'
import { addExamplePeople } from './example-people.ts'
import type { Credentials } from './launch.ts'

/** The example data of screenshots and tests: users, apps, points. */
export interface ExampleWorld {
  user: Credentials
  admin: Credentials
  /** The id of `user`. */
  user_id: string
  /** Owns the apps. */
  operator: Credentials
  app: { id: string; client_id: string; redirect_uri: string }
  deployment_id: string
}

export const example_admin: Credentials = { email: 'admin@plaza.example', password: 'the keys to the plaza' }

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
 * The URLs of pages with path parameters, or that show little without search parameters; of other pages it is the path.
 * `as` overrides the viewer: by default the admin for admin pages, nobody for guest pages, else the user.
 */
export const addresses: Record<string, Address> = {
  '/oauth/authorize': {
    at: ({ app }) => `/oauth/authorize?${authorizationOf(app, 'profile:read points:read points:spend').toString()}`,
  },
  '/forgot-password': { as: 'nobody' },
  '/people': { at: () => '/people?q=be' },
  '/admin/users/$id': { at: ({ user_id }) => `/admin/users/${user_id}` },
  '/confirm-address': { as: 'nobody' },
  '/admin/ledger': { act: (tab) => tab.getByRole('button', { name: 'Run the check' }).click() },
  '/learning/$module': { at: () => '/learning/1' },
  '/learning/$module/$step': { at: () => '/learning/2/basics-what-a-wallet-holds' },
  '/reset-password': { as: 'nobody' },
  '/apps': { as: 'operator' },
  '/apps/new': { as: 'operator' },
  '/apps/$id': { as: 'operator', at: ({ app }) => `/apps/${app.id}?tab=figures`, act: openAccess },
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

/** The viewer of a page. */
export const viewerOf = ({ path, access }: { path: string; access: string }): Viewer =>
  addresses[path]?.as ?? (access === 'admin' ? 'admin' : access === 'guest' ? 'nobody' : 'user')

const challenge = createHash('sha256').update('example-verifier-'.repeat(4)).digest('base64url')

const authorizationOf = (
  { client_id, redirect_uri }: Pick<ExampleWorld['app'], 'client_id' | 'redirect_uri'>,
  scope: string,
) =>
  new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope,
  })

/** Fills an empty service, through its API where possible. The admin exists already. */
export async function makeExampleWorld(service: Service): Promise<ExampleWorld> {
  const { address, db } = service
  const anonymous = new PlazaClient(address)
  const signedIn = async (credentials: Credentials) => {
    const { token: jwt, user } = await anonymous.result(login, { body: credentials })
    return { id: user.id, api: anonymous.withToken(jwt) }
  }
  const person = async (username: string) => {
    const credentials = { email: `${username.toLowerCase()}@people.example`, password: `the password of ${username}` }
    const { user } = await anonymous.result(register, { body: { ...credentials, username } })
    await setEmailVerified(db, user.id)
    return { ...credentials, ...(await signedIn(credentials)) }
  }
  const admin = await signedIn(example_admin)
  const [ada, olga] = [await person('Ada'), await person('Olga')]

  const redirect_uri = 'https://stickers.example/callback'
  const newApp = async (app_name: string, app_description: string, listed: boolean) => {
    const { app } = await olga.api.result(createApp, {
      body: {
        app_name,
        app_description,
        redirect_uris: [redirect_uri],
        website_url: 'https://stickers.example',
        requested_scopes: ['profile:read', 'points:read', 'points:spend', 'app:balance:read'],
      },
    })
    await admin.api.result(approveApp, { params: { id: app.id }, body: { listed } })
    return { ...app, redirect_uri }
  }
  const shop = await newApp('Sticker Shop', 'Stickers for laptops and lunch boxes, paid in points.', true)
  await newApp('Chess Corner', 'Play slow chess with friends. Points buy new boards.', true)

  for (const [amount, description] of [
    [500, 'Welcome'],
    [120, 'Found a bug in the reference'],
  ] as const)
    await admin.api.result(awardPoints, { body: { user_id: ada.id, amount, description } })
  await spendInApp(anonymous, ada.api, shop)
  await learn(ada.api)
  await allowHosting(olga.api, admin.api, shop.id)
  const hosting = await tokenFor(anonymous, olga.api, shop, 'deploy:manage')
  const deployment_id = await addExampleDeployments(service, anonymous.withToken(hosting))
  await addExamplePeople({ admin, ada, person })
  return {
    user: { email: ada.email, password: ada.password },
    admin: example_admin,
    user_id: ada.id,
    operator: { email: olga.email, password: olga.password },
    deployment_id,
    app: { id: shop.id, client_id: shop.client_id, redirect_uri },
  }
}

/** Completes the first module of the beginners' path. */
async function learn(person: PlazaClient) {
  await person.result(chooseLearningPath, { body: { path: 'bitcoin-basics' } })
  const [first] = (await person.result(listModules)).modules
  for (const { step_id } of first?.steps ?? []) await person.result(completeStep, { params: { step_id } })
}

interface ExampleApp {
  client_id: string
  client_secret: string
  redirect_uri: string
}

/** Authorizes the app and returns its access token. */
async function tokenFor(anonymous: PlazaClient, person: PlazaClient, app: ExampleApp, scope: string) {
  const { client_id, client_secret, redirect_uri } = app
  const query = Object.fromEntries(authorizationOf(app, scope)) as never
  const { code } = await person.result(authorize, { query })
  const { access_token } = await anonymous.result(token, {
    body: {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      redirect_uri,
      code,
      code_verifier: 'example-verifier-'.repeat(4),
    },
  })
  return access_token
}

/** Authorizes the app and spends points there. */
async function spendInApp(anonymous: PlazaClient, person: PlazaClient, app: ExampleApp) {
  const spending = anonymous.withToken(await tokenFor(anonymous, person, app, 'profile:read points:spend'))
  for (const [amount, description] of [
    [30, 'Sticker: an owl'],
    [45, 'Sticker: a whale'],
    [30, 'Sticker: a fox'],
  ] as const)
    await spending.result(spendPoints, { body: { amount, description } })
}
