/**
 * Runs the whole flow of an operator app against its own service and prints each step: `npm run demo`. Exits with 0, or with 1
 * when a step fails, and removes everything it created.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  accessToken,
  appCredentials,
  completeSignIn,
  openPlaza,
  personCredentials,
  PlazaError,
  startSignIn,
} from '@plaza/client'
import { readConfig } from '../../server/config.ts'
import { openLog } from '../../server/platform/log.ts'
import { package_root } from '../../server/platform/package.ts'
import { startService } from '../../server/processes/start.ts'
import { startOperatorApp } from './app.ts'
import { Browser } from './demo-browser.ts'
import { freePort } from '../../server/test/free-port.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
let steps = 0
const step = (text: string) => say(`${String(++steps).padStart(2)}. ${text}`)

/** Ends the demo when a condition does not hold. */
function expect(truth: boolean, what: string): asserts truth {
  if (!truth) throw new Error(`expected: ${what}`)
}

/** Clean-up steps, run in reverse order. */
const cleanups: (() => Promise<unknown>)[] = []
async function cleanUp() {
  for (let next = cleanups.pop(); next; next = cleanups.pop())
    await next().catch((error: Error) => {
      say(`The clean-up failed: ${error.message}`)
      process.exitCode = 1
    })
}

const admin_credentials = { email: 'admin@plaza.test', password: 'the keys to the plaza' }

/** Builds the console if it is stale: the consent page is part of the flow, and a fresh clone has no build. */
const buildConsole = () =>
  promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', "import { buildConsole } from './scripts/build.mjs'\nawait buildConsole()"],
    { cwd: package_root },
  )

async function startPlaza() {
  await buildConsole()
  const folder = await mkdtemp(join(tmpdir(), 'plaza-demo-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    BACKUP_EVERY: 'off',
    // The demo's shop runs on this machine, without https.
    WEBHOOK_ADDRESSES: 'any',
    BILLING: 'on',
    CONTAINER_HOSTS: `none=docker+unix://${folder}/no-engine.sock`,
    ADMIN_EMAIL: admin_credentials.email,
    ADMIN_PASSWORD: admin_credentials.password,
  })
  const service = await startService({ config, log: openLog(config.log_level) })
  cleanups.push(() => service.stop())
  step(`Plaza runs at ${url} on a fresh database, with ${admin_credentials.email} as its first admin.`)
  // The demo runs no container, but a bill needs a host.
  await service.db.sql`
    insert into container_hosts (name, kind, reachable, seen_at) values ('demo', 'docker', true, now() + interval '1 day')`
  return { url, outbox: join(folder, 'outbox'), plaza: openPlaza({ url }) }
}

type Plaza = Awaited<ReturnType<typeof startPlaza>>

async function signIn({ url, plaza }: Plaza, credentials: { email: string; password: string }) {
  const { user, token } = await plaza.login(credentials)
  const api = openPlaza({ url, credentials: personCredentials(token) })
  return { id: user.id, username: user.username, api }
}

const passwordOf = (username: string) => `the password of ${username}`

async function newAccount({ plaza }: Plaza, username: string) {
  const credentials = { email: `${username.toLowerCase()}@people.test`, password: passwordOf(username) }
  await plaza.register({ ...credentials, username })
  return credentials
}

/** The code in the subject of the mail in the outbox of the service. */
async function mailedCode({ outbox }: Plaza, address: string) {
  for (let tries = 0; tries < 300; tries++, await sleep(100)) {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
    const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    const mail = mails.find((text) => text.includes(`To: ${address}\r\n`))
    const code = /^Subject: (\d{6}) /m.exec(mail ?? '')?.[1]
    if (code !== undefined) return code
  }
  throw new Error(`no mail with a code came to ${address}`)
}

async function verifiedPerson(plaza: Plaza, username: string) {
  const credentials = await newAccount(plaza, username)
  const person = await signIn(plaza, credentials)
  await person.api.sendVerification()
  await person.api.verifyEmail({ code: await mailedCode(plaza, credentials.email) })
  return person
}

async function registerOperator(plaza: Plaza) {
  const operator = await verifiedPerson(plaza, 'Olga')
  step('Olga, an operator, registers and verifies her address with the mailed code.')
  return operator
}
type Person = Awaited<ReturnType<typeof signIn>>

const scopes = ['profile:read', 'points:read', 'points:spend', 'app:balance:read']

async function registerApp(operator: Person, redirect_uri: string) {
  const { app } = await operator.api.createApp({
    app_name: 'Sticker shop',
    redirect_uris: [redirect_uri],
    requested_scopes: scopes,
  })
  step(`She registers her app, "${app.app_name}", for ${scopes.join(', ')}.`)
  return { ...app, redirect_uri }
}
type RegisteredApp = Awaited<ReturnType<typeof registerApp>>

/** Two people work on the app: it moves to the operator's team, and a developer joins by invitation. */
async function formTeam(plaza: Plaza, operator: Person, app: RegisteredApp) {
  const { team } = await operator.api.createTeam({ name: 'Sticker crew' })
  const developer = await verifiedPerson(plaza, 'Tom')
  await operator.api.inviteMember({ id: team.id, email: 'tom@people.test', role: 'developer' })
  const [invitation] = (await developer.api.listOwnInvitations()).invitations
  expect(invitation?.team_name === team.name, 'the invitation waits for Tom, also without its mail')
  await developer.api.acceptInvitation({ code: invitation.code })
  await operator.api.moveApp({ id: app.id, team_id: team.id })
  step(`Olga makes the team "${team.name}", Tom joins it as a developer, and the app moves into the team.`)
  await refused('role_required', developer.api.listSecrets({ id: app.id }))
  step('Tom reads and changes the app, but not its secrets: 403 role_required.')
}

/** Ends the demo unless a call is refused with this code. */
async function refused(code: string, call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(error instanceof PlazaError && error.code === code, `a call that Plaza refuses with ${code}`)
}

/** Starts the operator's app: an ordinary web app with an ordinary OAuth library and an ordinary verifier of webhooks. */
async function openShop(plaza: Plaza, operator: Person, { id, client_id, client_secret }: RegisteredApp, port: number) {
  const app_url = `http://127.0.0.1:${port}`
  const { secret: webhook_secret } = await operator.api.createWebhook({ id, url: `${app_url}/webhooks` })
  const shop = await startOperatorApp({
    plaza_url: plaza.url,
    client_id,
    client_secret,
    webhook_secret,
    port,
    app_url,
  })
  cleanups.push(() => shop.stop())
  step(`The sticker shop opens at ${app_url}; Plaza will send it webhooks.`)
  return app_url
}

/** Prints the request on Plaza's consent page, and consents. Returns the address of the redirect. */
async function allow(person: Person, consent_page: string) {
  const asked = await person.api.describeAuthorization(requestIn(consent_page))
  step(`${person.username} is asked by Plaza: may "${asked.app.app_name}" of ${asked.app.owner_username}`)
  for (const { grants } of asked.scopes) say(`       - ${grants.charAt(0).toLowerCase()}${grants.slice(1)}`)
  return grant(person, consent_page)
}

/** Makes the call by which the consent page approves a request. */
async function grant({ api }: Person, consent_page: string) {
  const { code, redirect_uri, state, iss } = await api.authorize(requestIn(consent_page))
  const callback = new URL(redirect_uri)
  for (const [name, value] of Object.entries({ code, state, iss }))
    if (value !== undefined) callback.searchParams.set(name, value)
  return callback.href
}

/** The query parameters of the page are those of the API. */
const requestIn = (consent_page: string) =>
  Object.fromEntries(new URL(consent_page).searchParams) as unknown as Parameters<Person['api']['authorize']>[0]

async function signInThroughApp(plaza: Plaza, user: Person, app_url: string) {
  const browser = new Browser()
  const consent = await browser.visit(`${app_url}/sign-in`)
  expect(consent.url.startsWith(`${plaza.url}/oauth/authorize?`), 'the app sends the browser to the consent page')
  expect(consent.status === 200 && consent.text.includes('<div id="root"'), 'the consent page is there')
  const home = await browser.visit(await allow(user, consent.url))
  expect(
    home.url === `${app_url}/` && home.text.includes(`<strong>${user.username}</strong>`),
    'the app knows the user',
  )
  expect(home.text.includes('<strong>100 points</strong>'), 'the app shows 100 points')
  step(`${user.username} allows it, comes back to the app, and is shown profile and balance: 100 points.`)
  return { browser, home }
}

/** Sends the same form twice, like a double click. */
async function buyTwice(browser: Browser, home: { text: string }, app_url: string) {
  const key = /name="key" value="([^"]+)"/.exec(home.text)?.[1] ?? ''
  const form = { key, amount: '30' }
  const first = await browser.visit(`${app_url}/spend`, form)
  expect(first.text.includes('30 points were taken') && first.text.includes('70 points'), 'the first purchase takes 30')
  const second = await browser.visit(`${app_url}/spend`, form)
  expect(second.text.includes('nothing was taken again'), 'the second is known to be the first')
  expect(second.text.includes('<strong>70 points</strong>'), 'the balance is still 70')
  step('A sticker for 30 points is bought twice with one Idempotency-Key: taken once, 70 points are left.')
}

/** A purchase whose price is only known at shipping: points are held, captured in part, and some refunded. */
async function sellPoster(browser: Browser, app_url: string) {
  const home = await browser.visit(`${app_url}/`)
  const reference = /name="reference" value="([^"]+)"/.exec(home.text)?.[1] ?? ''
  const ordered = await browser.visit(`${app_url}/order`, { reference })
  expect(ordered.text.includes('40 points are set aside'), 'the order is placed')
  expect(ordered.text.includes('<strong>30 points</strong>'), 'what is held is not available')
  step('Ursula orders a poster: 40 points are held, 30 are left to spend.')
  await browser.visit(`${app_url}/ship`, { reference })
  step('The shop ships it for 25 points: they are captured, 15 come back.')
  await browser.visit(`${app_url}/give-back`, { reference })
  step('It arrives scratched, and the shop returns 10 points.')
  let told = await browser.visit(`${app_url}/`)
  for (let tries = 0; !told.text.includes('paid, 25 points paid, 10 returned'); tries++, await sleep(50)) {
    expect(tries < 600, 'the webhooks of capture and refund come within 30 seconds, and are signed')
    told = await browser.visit(`${app_url}/`)
  }
  expect(told.text.includes('<strong>55 points</strong>'), 'the balance is 55')
  step('Plaza’s webhooks tell the shop of both; its verifier of Standard Webhooks accepts them. 55 points are left.')
}

/** The operator signs in to her app, to read its earnings. */
async function readEarnings(
  { url }: Plaza,
  operator: Person,
  { client_id, client_secret, redirect_uri }: RegisteredApp,
) {
  const { address, pending } = await startSignIn({ url, client_id, redirect_uri, scope: 'app:balance:read' })
  const callback = await grant(operator, address)
  const { access_token } = await completeSignIn({ callback, pending, client_secret })
  const { points } = await openPlaza({ url, credentials: accessToken(access_token) }).getAppBalance()
  expect(points === 45, 'the app has 30 + 25 - 10 points')
  step(`Olga reads her app's balance: ${points} points.`)
}

/** Pays three people in one call; the same call again pays nothing more. */
async function payPrizes(plaza: Plaza, { client_id, client_secret }: RegisteredApp, winners: Person[]) {
  const shop = openPlaza({ url: plaza.url, credentials: appCredentials({ client_id, client_secret }) })
  const payouts = winners.map(({ id }, place) => ({
    to_user_id: id,
    amount: 6 - place,
    description: `Sticker contest, place ${place + 1}`,
  }))
  for (const _ of ['paid', 'paid already']) {
    const { outcomes } = await shop.createPayouts({ payouts }, { idempotency_key: 'sticker contest' })
    expect(outcomes.length === 3 && outcomes.every(({ payout }) => payout !== null), 'all three get their prizes')
  }
  const { points } = await shop.getOwnBalance()
  expect(points === 45 - 15, 'the prizes are paid once')
  step(
    `The shop pays the prizes of its contest to ${winners.map(({ username }) => username).join(', ')} in one call: 15 points.`,
  )
}

/** A build server deploys with a key that can do nothing else; the app pays for its hosting from what it earned. */
async function deploy(plaza: Plaza, admin: Person, operator: Person, app: RegisteredApp) {
  await admin.api.createDeployTier({
    name: 'Stall',
    slug: 'stall',
    payment_method: 'service_points',
    memory_limit_mb: 64,
    cpu_limit_millicores: 100,
    monthly_cost_points: 25,
  })
  const request = await operator.api.requestScopes({ id: app.id, requested_scopes: ['deploy:manage'] })
  await admin.api.approveScopeRequest({ id: request.id })
  const { client_secret } = await operator.api.createSecret({
    id: app.id,
    name: 'build server',
    permissions: ['deploy'],
  })
  const build_server = openPlaza({
    url: plaza.url,
    credentials: appCredentials({ client_id: app.client_id, client_secret }),
  })
  const deployment = await build_server.createDeployment({
    subdomain: 'stickers',
    image: 'docker.io/library/nginx:1',
    tier: 'stall',
  })
  const { points } = await operator.api.getBalanceOfMyApp({ id: app.id })
  expect(deployment.billing_status === 'active' && points === 5, 'the app has paid the first month')
  step(
    'A build server deploys with a key that may only deploy. The app pays the first month, 25 points, from its income.',
  )
  const prize = { to_user_id: operator.id, amount: 5 }
  await refused('secret_not_permitted', build_server.createPayout(prize))
  await refused('secret_not_permitted', build_server.getOwnBalance())
  step('With the same key it may neither pay anybody nor read the balance: 403 secret_not_permitted.')
}

/** The owner withdraws the rest of the income. */
async function withdraw(operator: Person, app: RegisteredApp) {
  const { points } = await operator.api.withdrawFromMyApp(
    { id: app.id, amount: 5, password: passwordOf(operator.username) },
    { idempotency_key: 'income' },
  )
  const { user } = await operator.api.me()
  expect(points === 0 && user.points === 5, 'the points are hers')
  step('Olga, an owner of the team, withdraws the 5 points that are left.')
}

async function checkBooks(auditor: Person) {
  const books = await auditor.api.checkLedger()
  expect(books.balanced && books.faults.length === 0, 'the books balance')
  step(`An auditor has the books checked: ${books.transfers} transfers, all in balance.`)
}

/** The auditor of the installation reads everything and changes nothing. */
async function audit(plaza: Plaza, admin: Person) {
  const auditor = await signIn(plaza, await newAccount(plaza, 'Xenia'))
  const { password } = admin_credentials
  await admin.api.setAdminRoles({ id: auditor.id, roles: ['auditor'], reason: 'reads the books', password })
  const { data: payments } = await auditor.api.adminListTransfers()
  const { data: entries } = await auditor.api.listAudit()
  expect(payments.length > 0 && entries.length > 0, 'the auditor reads payments and the audit log')
  await checkBooks(auditor)
  await refused('role_required', auditor.api.awardPoints({ user_id: auditor.id, amount: 1, description: 'a gift' }))
  step('Xenia, the auditor, reads payments, books and audit log, and may award no point: 403 role_required.')
}

async function signOut(browser: Browser, app_url: string) {
  const left = await browser.visit(`${app_url}/sign-out`, {})
  expect(left.text.includes('Sign in with Plaza'), 'the app has forgotten the user')
  step('Ursula signs out of the app, which revokes its tokens.')
}

async function play() {
  const plaza = await startPlaza()
  const admin = await signIn(plaza, admin_credentials)
  const operator = await registerOperator(plaza)
  const port = await freePort()
  const app = await registerApp(operator, `http://127.0.0.1:${port}/callback`)
  await admin.api.approveApp({ id: app.id, listed: true })
  step('The admin approves the app.')
  await formTeam(plaza, operator, app)
  const app_url = await openShop(plaza, operator, app, port)
  const user = await signIn(plaza, await newAccount(plaza, 'Ursula'))
  await admin.api.awardPoints({ user_id: user.id, amount: 100, description: 'welcome' })
  step('Ursula, a user, registers, and the admin awards her 100 points.')
  const { browser, home } = await signInThroughApp(plaza, user, app_url)
  await buyTwice(browser, home, app_url)
  await sellPoster(browser, app_url)
  await readEarnings(plaza, operator, app)
  const winners = [user]
  for (const name of ['Vera', 'Walt']) {
    const winner = await signIn(plaza, await newAccount(plaza, name))
    await grant(winner, (await new Browser().visit(`${app_url}/sign-in`)).url)
    winners.push(winner)
  }
  await payPrizes(plaza, app, winners)
  await deploy(plaza, admin, operator, app)
  await withdraw(operator, app)
  await signOut(browser, app_url)
  await audit(plaza, admin)
}

for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(status)))

try {
  await play()
  await cleanUp()
  if (process.exitCode === undefined) say('Everything is stopped and removed. The demo went well.')
} catch (error) {
  say(`The demo failed after step ${steps}: ${(error as Error).message}`)
  process.exitCode = 1
  await cleanUp()
}
