import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { PlazaClient } from '../contract/client.ts'
import { disableTotp, enableTotp, login, setupTotp } from '../contract/accounts.ts'
import { createDeployment, getDeploymentDomain, verifyDeploymentDomain } from '../contract/deployments.ts'
import { getRegistryToken } from '../contract/registry.ts'
import { createWebhook, rotateWebhookSecret } from '../contract/webhooks.ts'
import { openTotp, sealTotp } from './accounts/totp-secrets.rules.ts'
import { accountKeys } from './accounts/service.ts'
import { openEnv } from './hosting/api/sealing.rules.ts'
import { environmentKeys } from './hosting/api/service.ts'
import { resealEverything, type Secrets } from './keys.ts'
import { keyFingerprint, openSealed } from './platform/secrets.ts'
import { webhookKeys } from './webhooks/secrets.service.ts'
import { startTestDns } from './test/dns-server.ts'
import { databaseNameOf, startTestService, type TestService } from './test/harness.ts'
import { any_image, freshName, someContainerHost, someHostingApp } from './test/hosting-world.ts'
import { runAdmin, startMain, testDatabaseUrl } from './test/processes.ts'
import { kidsOf, signerOf } from './test/openid.ts'
import { outcome } from './test/refusals.ts'
import { someUser, type SomeUser } from './test/world.ts'
import { hosting_settings } from './test/settings.ts'

// Retiring a key of SECRET_KEYS (docs/keys.md). The command runs in a child process.
const a = 'the older key of the two long enough for the rule'
const b = 'the newer key of the two long enough for the rule'
const [id_a, id_b] = [keyFingerprint(a).toString('hex'), keyFingerprint(b).toString('hex')]

const dns = await startTestDns()
/** Starts a service with only the older key. */
const start = () =>
  startTestService({ ...hosting_settings, SECRET_KEYS: a, DNS_SERVERS: dns.address, WEBHOOK_ADDRESSES: 'any' })
const plaza = await start()
await someContainerHost(plaza)

const databaseUrlOf = async (service: TestService) => testDatabaseUrl(await databaseNameOf(service))
const reseal = async (service: TestService, secret_keys: string) =>
  runAdmin(['reseal'], { DATABASE_URL: await databaseUrlOf(service), SECRET_KEYS: secret_keys })
const refusalOf = (service: TestService, secret_keys: string) =>
  service.startAnother({ SECRET_KEYS: secret_keys }).then(
    () => 'it started',
    (error: Error) => error.message.split('\n').slice(0, -1),
  )

const codeOf = ({ clock }: TestService, secret: string) =>
  generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1000) })
const nextStep = ({ clock }: TestService) => clock.advance(60)

async function totpUser(service: TestService) {
  const user = await someUser(service)
  const { secret } = await user.api.result(setupTotp)
  const { recovery_codes } = await user.api.result(enableTotp, { body: { code: codeOf(service, secret) } })
  nextStep(service)
  return { ...user, secret, recovery_codes }
}
const signIn = async (service: TestService, { email, password }: SomeUser, totp_code: string) =>
  (await new PlazaClient(service.url).call(login, { body: { email, password, totp_code } })).status

/** Removes the key ids of second factors, as version 0.1 stored them. */
const removeKeyIds = ({ db }: TestService) => db.sql`update users set totp_key_id = null`

test('retiring a key: B,A, then reseal, then B alone decrypts second factors, recovery codes, environments and proofs', async () => {
  const user = await totpUser(plaza)
  const other = await totpUser(plaza)
  const beginner = await someUser(plaza)
  const pending = await beginner.api.result(setupTotp)
  const app = await someHostingApp(plaza)
  const made = await app.api.result(createDeployment, {
    body: {
      subdomain: freshName(),
      image: any_image,
      tier: 'standard',
      env_vars: { GREETING: 'hello' },
      custom_domain: 'shop.customers.example.com',
    },
  })
  const { id } = made
  const proof = await app.api.result(getDeploymentDomain, { params: { id } })
  dns.records.set(proof.record_name, [proof.record_value])

  const registered = await app.owner.api.result(createWebhook, {
    params: { id: app.id },
    body: { url: 'https://127.0.0.1:9/' },
  })
  const of_webhook = { id: app.id, webhook_id: registered.webhook.id }
  const { secret } = await app.owner.api.result(rotateWebhookSecret, { params: of_webhook })

  const kids = await kidsOf(plaza)
  const token_query = { query: { service: hosting_settings.REGISTRY_PRIVATE } }
  await new PlazaClient(plaza.url, app).result(getRegistryToken, token_query)
  const [root] = await plaza.db.sql`select id, certificate from registry_roots`
  const needed = [
    `SECRET_KEYS lacks the key ${id_a}, which 3 two-factor secrets, 1 deployment environment, 1 release environment, 2 webhook secrets, 1 identity token key, 1 registry root key, ` +
      'the recovery codes of 2 accounts and the proofs of 1 custom domain still need.',
  ]
  expect(await refusalOf(plaza, b)).toEqual(needed)
  const both = await plaza.startAnother({ SECRET_KEYS: `${b},${a}` })
  expect(await signIn(both, user, codeOf(plaza, user.secret))).toBe(200)
  expect(await refusalOf(plaza, b)).toEqual(needed)

  const alone = await reseal(plaza, b)
  expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining(`${needed[0]}\nNot everything is`)])
  const done = await reseal(plaza, `${b},${a}`)
  expect([done.code, done.stderr, done.stdout.split('\n')]).toEqual([
    0,
    '',
    [
      `Sealing under ${id_b}, the first key of SECRET_KEYS.`,
      'kept keys of codes and domain proofs: 2 sealed again',
      'two-factor secrets: 3 sealed again',
      'deployment environments: 1 sealed again',
      'release environments: 1 sealed again',
      'webhook secrets: 2 sealed again',
      'identity token keys: 1 sealed again',
      'push keys: 0 sealed again',
      'registry root keys: 1 sealed again',
      `Nothing needs a key other than ${id_b} any more.`,
      '',
    ],
  ])
  const again = await reseal(plaza, `${b},${a}`)
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('two-factor secrets: 0 sealed again\n')])

  nextStep(plaza)
  const new_alone = await plaza.startAnother({ SECRET_KEYS: b })
  expect(await signIn(new_alone, user, codeOf(plaza, user.secret))).toBe(200)
  expect(await signIn(new_alone, other, other.recovery_codes[0] ?? '')).toBe(200)
  expect(await signIn(new_alone, other, other.recovery_codes[0] ?? '')).toBe(401)
  await new PlazaClient(new_alone.url, app).result(getRegistryToken, token_query)
  expect(await plaza.db.sql`select id, certificate from registry_roots`).toEqual([root])
  const { token } = await new PlazaClient(new_alone.url).result(login, {
    body: { email: beginner.email, password: beginner.password },
  })
  const beginner_api = new PlazaClient(new_alone.url).withToken(token)
  const enabled = await beginner_api.call(enableTotp, { body: { code: codeOf(plaza, pending.secret) } })
  expect(enabled.status).toBe(200)
  const [row] = await plaza.db.sql<{ sealed_env: Buffer }>`select sealed_env from deployments where id = ${id}`
  expect(openEnv(environmentKeys([b]), id, row!.sealed_env)).toEqual({ GREETING: 'hello' })
  const sealed_secrets = await plaza.db.sql<{ id: string; sealed: Buffer }>`
    select id, sealed from webhook_secrets where webhook_id = ${of_webhook.webhook_id} order by inserted_at`
  const opened = sealed_secrets.map((row) => openSealed(webhookKeys([b]), row.sealed, row.id))
  expect(opened.sort()).toEqual([registered.secret, secret].sort())
  expect([await kidsOf(new_alone), await signerOf(new_alone)]).toEqual([kids, kids[0]])
  const owner = new PlazaClient(new_alone.url).withToken(app.tokens.access_token)
  expect(outcome(await owner.call(verifyDeploymentDomain, { params: { id } }))).toEqual([
    200,
    expect.objectContaining({ verified_at: expect.any(String) }),
  ])
})

test('a start without a needed key is refused, also for values of 0.1 without a key id, and allowed by MISSING_KEYS=allow', async () => {
  const service = await start()
  const user = await totpUser(service)
  await removeKeyIds(service)
  expect(await refusalOf(service, b)).toEqual([
    'No key in SECRET_KEYS opens 1 two-factor secret that version 0.1 sealed.',
    `SECRET_KEYS lacks the key ${id_a}, which the recovery codes of 1 account still need.`,
  ])
  const without = await service.startAnother({ SECRET_KEYS: b, MISSING_KEYS: 'allow' })
  expect(await signIn(without, user, codeOf(service, user.secret))).toBe(401)
  expect(without.logged()).toContain('MISSING_KEYS=allow')
  await service.startAnother({ SECRET_KEYS: `${b},${a}` })
  const [row] = await service.db.sql<{ key_id: string }>`
    select encode(totp_key_id, 'hex') as key_id from users where id = ${user.id}`
  expect(row?.key_id).toBe(id_a)
})

test('an unused key can be removed at once', async () => {
  const service = await start()
  await someUser(service)
  const moved = await service.startAnother({ SECRET_KEYS: b })
  const user = await totpUser(moved)
  const restarted = await service.startAnother({ SECRET_KEYS: b })
  expect(await signIn(restarted, user, user.recovery_codes[0] ?? '')).toBe(200)
})

/** Inserts accounts with a second factor under the older key, half of them without a key id, as version 0.1 stored them. */
async function insertTotpUsers({ db }: TestService, count: number) {
  const { totp } = accountKeys([a])
  const sealed = Array.from({ length: count }, (_, at) => sealTotp(totp, `SECRET${at}`))
  await db.adHoc.sql`
    insert into users (id, email, username, password_hash, tier, referral_code, registration_number, inserted_at,
                       totp_secret, totp_key_id)
    select gen_random_uuid(), 'bulk' || at || '@people.test', 'bulk' || at, '', 'bronze', 'bulk' || at, 1000000 + at, now(),
           s.sealed, case when at % 2 = 0 then s.key_id end
      from unnest(${sealed.map((one) => one.sealed)}::bytea[], ${sealed.map((one) => one.key_id)}::bytea[])
           with ordinality s(sealed, key_id, at)`
}
const countUnder = async ({ db }: TestService, key: string) => {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from users where totp_key_id = ${keyFingerprint(key)} and totp_secret is not null`
  return row?.count ?? 0
}

test('a reseal that is killed halfway loses nothing, and another continues it', async () => {
  const service = await start()
  const count = 6_000
  await insertTotpUsers(service, count)
  const env = { DATABASE_URL: await databaseUrlOf(service), SECRET_KEYS: `${b},${a}` }
  const killed = startMain(['admin', 'reseal'], env)
  await expect.poll(() => killed.stdout(), { interval: 1 }).toContain('so far')
  killed.child.kill('SIGKILL')
  expect((await killed.ended).signal).toBe('SIGKILL')
  const halfway = await countUnder(service, b)
  expect(halfway).toBeGreaterThanOrEqual(1_000)
  expect(halfway).toBeLessThan(count)
  const more = await runAdmin(['reseal'], env)
  expect([more.code, more.stdout]).toEqual([
    0,
    expect.stringContaining(`two-factor secrets: ${count - halfway} sealed again\n`),
  ])
  expect(await countUnder(service, b)).toBe(count)
  const rows = await service.db.sql<{ at: string; totp_secret: Buffer }>`
    select substring(username from 5) as at, totp_secret from users where username like 'bulk%' limit 500`
  const { totp } = accountKeys([b])
  for (const { at, totp_secret } of rows)
    expect(openTotp(totp, totp_secret, null)?.secret).toBe(`SECRET${Number(at) - 1}`)
})

test('resealing back and forth while users enable and disable second factors: no call fails, nothing is lost', async () => {
  const service = await startTestService({ SECRET_KEYS: `${b},${a}` })
  const people = await Promise.all(Array.from({ length: 12 }, () => someUser(service)))
  const running = { on: true, resealed: 0 }
  const resealing = (async () => {
    const orders: Secrets[] = [
      [a, b],
      [b, a],
    ]
    for (; running.on; running.resealed++) await resealEverything(service.db, orders[running.resealed % 2]!, () => {})
  })()
  // On a loaded machine, a reseal takes longer than a round of logins.
  for (let round = 0; round < 5 || running.resealed < 4; round++) {
    const statuses = await Promise.all(
      people.map(async (person) => {
        const { secret } = await person.api.result(setupTotp)
        const enabled = await person.api.call(enableTotp, { body: { code: codeOf(service, secret) } })
        return { person, secret, status: enabled.status }
      }),
    )
    expect(statuses.map(({ status }) => status)).toEqual(people.map(() => 200))
    nextStep(service)
    const logins = statuses.map(({ person, secret }) => signIn(service, person, codeOf(service, secret)))
    expect(await Promise.all(logins)).toEqual(people.map(() => 200))
    nextStep(service)
    const disabled = statuses.map(({ person, secret }) =>
      person.api.call(disableTotp, { body: { password: person.password, totp_code: codeOf(service, secret) } }),
    )
    expect((await Promise.all(disabled)).map(({ status }) => status)).toEqual(people.map(() => 200))
    nextStep(service)
  }
  running.on = false
  await resealing
  expect(running.resealed).toBeGreaterThan(3)
})

test('a locked account does not block a reseal: it is skipped and retried', async () => {
  const service = await start()
  const user = await totpUser(service)
  await insertTotpUsers(service, 300)
  const client = await service.db.pool.connect()
  await client.query('begin')
  await client.query('select 1 from users where id = $1 for update', [user.id])
  const lines: string[] = []
  const resealing = resealEverything(service.db, [b, a], (line) => lines.push(line))
  await expect.poll(() => countUnder(service, b)).toBe(300)
  await client.query('rollback')
  client.release()
  expect(await resealing).toBe(true)
  expect(await countUnder(service, b)).toBe(301)
  expect(lines).toContain('two-factor secrets: 301 sealed again')
})
