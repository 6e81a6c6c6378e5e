import { expect, test } from 'vitest'
import { example_registry } from '../../../examples/world/hosting.ts'
import { example_admin, makeExampleWorld } from '../../../examples/world/world.ts'
import { createPayout, listAppTransfers } from '../../../contract/payments.ts'
import { login } from '../../../contract/accounts.ts'
import { PlazaClient } from '../../../contract/client.ts'
import { includesRole, type MemberRole } from '../../../contract/kinds/member-roles.ts'
import { createSecret } from '../../../contract/oauth-apps.ts'
import { operations } from '../../../contract/operations.ts'
import { createWebhook, listDeliveries } from '../../../contract/webhooks.ts'
import { startReceiver } from '../../../server/test/receiver.ts'
import { waitUntil } from '../../../server/test/wait.ts'
import { startConsole, type Page } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole({
  ROLES: 'api',
  ADMIN_EMAIL: example_admin.email,
  ADMIN_PASSWORD: example_admin.password,
  REGISTRY_CODE_HOST: example_registry,
  WEBHOOK_ADDRESSES: 'any',
})
const world = await makeExampleWorld(plaza.service)
const { app, team_id, deployment_id } = world
const places = await addFailingWebhook()

/** A webhook whose receiver fails, and the pages of everything that the team has. */
async function addFailingWebhook() {
  const anonymous = new PlazaClient(plaza.url)
  const { token } = await anonymous.result(login, { body: world.operator })
  const owner = anonymous.withToken(token)
  const receiver = await startReceiver()
  receiver.answer((response) => void response.writeHead(500).end('boom'))
  const params = { id: app.id }
  const { webhook } = await owner.result(createWebhook, { params, body: { url: receiver.url } })
  const { client_secret } = await owner.result(createSecret, { params, body: { name: 'walk' } })
  const client = new PlazaClient(plaza.url, { client_id: app.client_id, client_secret })
  await client.result(createPayout, { body: { to_user_id: world.user_id, amount: 1 } })
  const deliveries = async () =>
    (await owner.result(listDeliveries, { params: { ...params, webhook_id: webhook.id } })).data
  await waitUntil(async () => ((await deliveries())[0]?.attempts ?? 0) > 0, 'an attempt')
  const { data: spends } = await client.result(listAppTransfers, { query: { kind: 'spend' } })
  const [delivery] = await deliveries()
  const of_app = `/apps/${app.id}`
  return [
    of_app,
    `${of_app}?tab=payments`,
    `${of_app}?tab=payments&payment=${spends[0]?.id}`,
    `${of_app}?tab=people`,
    `${of_app}?tab=developers`,
    `${of_app}?tab=developers&webhook=${webhook.id}&delivery=${delivery?.id}`,
    `${of_app}?tab=settings`,
    `/teams/${team_id}`,
    `/teams/${team_id}?tab=log`,
    `/teams/${team_id}?tab=settings`,
    `/deployments?app=${app.id}`,
    `/deployments/new?app=${app.id}`,
    `/deployments/${deployment_id}?app=${app.id}`,
    `/playground?app=${app.id}`,
  ]
}

const endpoints = Object.values(operations).map((endpoint) => ({
  ...endpoint,
  pattern: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))
const endpointOf = (method: string, url: string) =>
  endpoints.find((one) => one.method === method && one.pattern.test(new URL(url).pathname))

/** Watches a page: calls that a role does not allow, and all calls that change something for the app or team, none of which is made. */
async function watch(page: Page, role: MemberRole) {
  const seen = { refused: new Set<string>(), sent: new Set<string>() }
  page.on('response', (response) => {
    if (response.status() === 403) seen.refused.add(`${response.request().method()} ${response.url()}`)
  })
  await page.route('**/api/**', (route) => {
    const endpoint = endpointOf(route.request().method(), route.request().url())
    if (!endpoint?.team_role || endpoint.method === 'GET') return route.continue()
    const name = `${endpoint.method} ${endpoint.path}`
    seen.sent.add(name)
    if (!includesRole(role, endpoint.team_role)) seen.refused.add(name)
    return route.fulfill({ status: 409, json: { error: 'not_now', message: 'The drill makes no change.' } })
  })
  return seen
}

const loaded = (page: Page) =>
  page.waitForFunction(
    () => document.querySelector('main h1, [role=dialog]') && !document.querySelector('main [aria-busy=true]'),
  )

async function open(page: Page, place: string) {
  await page.goto(place)
  await loaded(page)
  const access = page.getByRole('button', { name: 'Open access' })
  if ((await access.count()) > 0) await access.click().then(() => access.waitFor({ state: 'detached' }))
  await page.waitForTimeout(300)
  await loaded(page)
}

/** Presses a control, fills the form that opens, and sends it. */
async function press(page: Page, place: string, name: string) {
  const control = page.locator('main, [role=dialog]').getByRole('button', { name, exact: true }).first()
  if (!(await control.isVisible()) || !(await control.isEnabled())) await open(page, place)
  const options = { timeout: 3_000 }
  await control.click(options).catch(() => undefined)
  await page.waitForTimeout(150)
  const form = page.locator('[role=dialog]:visible, main').last()
  const inputs = form.locator('input:visible:enabled, textarea:visible:enabled')
  const empty = await inputs.evaluateAll((all) =>
    (all as HTMLInputElement[]).map(({ type, name, value }) => ({ type, name, is_empty: value === '' })),
  )
  for (const [at, { type, name: field, is_empty }] of empty.entries()) {
    if (!is_empty || ['checkbox', 'radio', 'file'].includes(type)) continue
    const text = type === 'email' ? 'somebody@plaza.test' : /url|uri/.test(field) ? 'https://a.test/x' : '1'
    await inputs
      .nth(at)
      .fill(text, options)
      .catch(() => undefined)
  }
  const answers = page.locator('[role=dialog]:visible').last().getByRole('button')
  for (const [at, text] of (await answers.allInnerTexts()).entries())
    if (!/^(?:Cancel|Close)?$/.test(text.trim()))
      await answers
        .nth(at)
        .click({ timeout: 1_000 })
        .catch(() => undefined)
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
  if (!page.url().endsWith(place)) await open(page, place)
}

/** Presses every control of a page. */
async function pressAll(page: Page, place: string) {
  await open(page, place)
  const buttons = await page.locator('main button:visible:enabled, [role=dialog] button:visible:enabled').all()
  const names = await Promise.all(
    buttons.map(async (one) => (await one.getAttribute('aria-label')) ?? (await one.innerText())),
  )
  for (const name of new Set(
    names.map((text) => text.trim()).filter((text) => text !== '' && !/^(?:Close|Cancel)/.test(text)),
  ))
    await press(page, place, name)
}

test.each(['viewer', 'developer', 'admin', 'owner'] as const)(
  'D-134: no control of an app, its deployments or its team that a member with the role %s finds would answer 403',
  { timeout: 900_000 },
  async (role) => {
    const page = await pageAs(role === 'owner' ? world.operator : world.members[role])
    page.on('dialog', (dialog) => void dialog.accept())
    const seen = await watch(page, role)
    for (const place of places) await pressAll(page, place)
    expect([...seen.refused]).toEqual([])
    const allowed = [...seen.sent].length
    // The walk finds what it looks for: the same controls send these calls where the role allows them.
    expect(allowed).toBeGreaterThanOrEqual({ viewer: 0, developer: 6, admin: 9, owner: 10 }[role])
    if (role === 'viewer') expect([...seen.sent]).toEqual(['DELETE /api/teams/{id}/members/{user_id}'])
  },
)
