import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, me } from '../../contract/accounts.ts'
import { adminListApps, approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { decisions } from '../../contract/decisions.ts'
import { getExternalUser } from '../../contract/external.ts'
import { authorize, describeAuthorization, describeReturn, token } from '../../contract/oauth.ts'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { authorizationServer } from '../../contract/system.ts'
import { system_user_id } from '../accounts/system-user.service.ts'
import { startTestDns } from '../test/dns-server.ts'
import { race, startTestService, type TestService } from '../test/harness.ts'
import { startImageHost } from '../test/image-host.ts'
import { outcome, refused } from '../test/refusals.ts'
import { no_secret } from '../test/clients/outcome.ts'
import { pkce, someUser, theAdmin, type SomeUser } from '../test/world.ts'

// The documents are on loopback. A second service has the default setting, which forbids that; a third reads none.
const [plaza, host, dns] = [
  await startTestService({ CLIENT_DOCUMENTS: 'any' }),
  await startImageHost(),
  await startTestDns(),
]
const careful = await plaza.startAnother({ CLIENT_DOCUMENTS: 'public', DNS_SERVERS: dns.address })
const closed = await plaza.startAnother({ CLIENT_DOCUMENTS: 'off' })
const bounds = decisions.client_documents
const redirect_uri = 'https://app.test/cb'

let documents = 0
/** The address of a new document with these fields changed. */
function someDocument(fields: Record<string, unknown> = {}, type?: string) {
  const path = `/documents/${++documents}.json`
  const client_id = host.url + path
  const document = {
    client_id,
    client_name: 'A documented app',
    redirect_uris: [redirect_uri],
    token_endpoint_auth_method: 'none',
    ...fields,
  }
  serve(path, JSON.stringify(document), type)
  return { client_id, path }
}
const serve = (path: string, text: string | Buffer, type = 'application/json') =>
  host.handlers.set(path, (_, response) => {
    if (type !== '') response.setHeader('content-type', type)
    response.end(text)
  })
const fetched = (path: string) => host.requests.filter(({ url }) => url === path).length

const queryOf = (client_id: string, code_challenge = pkce().code_challenge) => ({
  client_id,
  response_type: 'code',
  code_challenge,
  code_challenge_method: 'S256',
  redirect_uri,
})

/** Opens an authorization request at a service, as the page does. */
const open = async (client_id: string, user: SomeUser, at: TestService = plaza) =>
  outcome(
    await new PlazaClient(at.url).withToken(user.token).call(describeAuthorization, { query: queryOf(client_id) }),
  )

const appsOf = (client_id: string) =>
  plaza.db.sql<{
    id: string
    status: string
    owner_id: string
    app_name: string
    redirect_uris: string[]
    allowed_scopes: string[]
    website_url: string | null
  }>`select * from oauth_apps where client_id = ${client_id}`

const counted = async () => {
  const [row] = await plaza.db.sql`
    select (select count(*) from oauth_apps) as apps, (select count(*) from users) as users,
           (select count(*) from point_accounts) as accounts`
  return row
}

/** Expects a refusal that writes nothing. */
async function expectRefused(client_id: string, expected: unknown, user: SomeUser, at: TestService = plaza) {
  const before = await counted()
  expect([client_id, await open(client_id, user, at)]).toEqual([client_id, expected])
  expect(await counted()).toEqual(before)
}

const admin = await theAdmin(plaza)
const approve = (id: string) => admin.api.result(approveApp, { params: { id }, body: {} })

test('D-36: an unknown address makes a pending app of its document, which is read once, and waits in the admin’s queue', async () => {
  const user = await someUser(plaza)
  const { client_id, path } = someDocument({
    client_uri: 'https://app.test/',
    scope: 'openid points:read points:spend x',
  })
  expect(await open(client_id, user)).toEqual(refused('app_not_approved'))
  expect(await open(client_id, user)).toEqual(refused('app_not_approved'))
  const [app] = await appsOf(client_id)
  expect(app).toMatchObject({
    status: 'pending',
    owner_id: system_user_id,
    app_name: 'A documented app',
    redirect_uris: [redirect_uri],
    allowed_scopes: ['points:read', 'points:spend'],
    website_url: 'https://app.test/',
  })
  const { data } = await admin.api.result(adminListApps, { query: { status: 'pending' } })
  expect(data[0]).toMatchObject({ id: app?.id, client_id, owner_username: 'a client metadata document', listed: false })
  expect(fetched(path)).toBe(1)
  const request = host.requests.find(({ url }) => url === path)
  expect([request?.headers.accept, request?.headers.authorization]).toEqual(['application/json', undefined])
})

test('D-36: once an admin has approved it, it is a public client: a code by PKCE, and no refresh without a secret', async () => {
  const user = await someUser(plaza)
  const { client_id } = someDocument()
  expect(await open(client_id, user)).toEqual(refused('app_not_approved'))
  const [app] = await appsOf(client_id)
  await approve(app!.id)
  const { code_verifier, code_challenge } = pkce()
  const { code } = await user.api.result(authorize, { query: queryOf(client_id, code_challenge) })
  const anonymous = new PlazaClient(plaza.url)
  const exchange = { grant_type: 'authorization_code', client_id, code, redirect_uri }
  const wrong = await anonymous.call(token, { body: { ...exchange, code_verifier: pkce().code_verifier } })
  expect([wrong.status, wrong.body]).toMatchObject([400, { error: 'invalid_grant' }])
  const issued = await anonymous.result(token, { body: { ...exchange, code_verifier } })
  expect(issued.scope).toBe('profile:read')
  expect((await anonymous.withToken(issued.access_token).result(getExternalUser)).id).toBe(user.id)
  const refresh = await anonymous.call(token, {
    body: { grant_type: 'refresh_token', client_id, refresh_token: issued.refresh_token },
  })
  expect(outcome(refresh)).toEqual([400, no_secret])
})

test('D-36: later changes of a document have no effect, whether its app is pending, approved or rejected', async () => {
  const user = await someUser(plaza)
  const { client_id, path } = someDocument()
  await open(client_id, user)
  const [app] = await appsOf(client_id)
  serve(
    path,
    JSON.stringify({
      client_id,
      client_name: 'Evil',
      redirect_uris: ['https://evil.test/cb'],
      token_endpoint_auth_method: 'none',
    }),
  )
  const stated = ({ app_name, redirect_uris }: { app_name: string; redirect_uris: string[] }) => [
    app_name,
    redirect_uris,
  ]
  const expectSame = async () => expect((await appsOf(client_id)).map(stated)).toEqual([stated(app!)])
  expect(await open(client_id, user)).toEqual(refused('app_not_approved'))
  await expectSame()
  await approve(app!.id)
  expect((await open(client_id, user))[0]).toBe(200)
  const evil = { ...queryOf(client_id), redirect_uri: 'https://evil.test/cb' }
  expect(outcome(await user.api.call(authorize, { query: evil }))).toEqual(refused('redirect_uri_not_registered'))
  await admin.api.result(rejectApp, { params: { id: app!.id }, body: { reason: 'no' } })
  expect(await open(client_id, user)).toEqual(refused('app_not_approved'))
  await expectSame()
  expect(fetched(path)).toBe(1)
})

test('D-36: opening it gives no rights to it, and nobody can sign in as its owner', async () => {
  const user = await someUser(plaza)
  await open(someDocument().client_id, user)
  expect(await user.api.result(listMyApps)).toEqual([])
  const [owner] = await plaza.db.sql<{ email: string; is_admin: boolean; suspended: boolean; points: number }>`
    select email, is_admin, suspended_at is not null as suspended,
           (select credited from point_accounts where id = u.id) as points
      from users u where id = ${system_user_id}`
  expect(owner).toMatchObject({ is_admin: false, suspended: true, points: 0 })
  expect(owner?.email).toMatch(/^[0-9a-f-]{36}@system\.invalid$/)
  const tried = await new PlazaClient(plaza.url).call(login, {
    body: { email: owner?.email ?? '', password: 'x'.repeat(8) },
  })
  expect(outcome(tried)).toEqual(refused('invalid_credentials'))
})

test('D-36: hostile and faulty documents are refused with one answer, and nothing is written', async () => {
  await open(someDocument().client_id, await someUser(plaza))
  const good = { client_name: 'x', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }
  const faults: Record<string, unknown>[] = [
    { client_id: `${host.url}/documents/other.json` },
    { client_id: undefined },
    { client_secret: 's' },
    { client_secret_expires_at: 0 },
    { token_endpoint_auth_method: 'client_secret_basic' },
    { token_endpoint_auth_method: undefined },
    { client_name: undefined },
    { client_name: '  ' },
    { client_name: 'x'.repeat(101) },
    { client_name: 'a\u0000b' },
    { client_name: 'a\ud800' },
    { client_name: 'a\u202eb' },
    { client_name: ['x'] },
    { redirect_uris: undefined },
    { redirect_uris: [] },
    { redirect_uris: redirect_uri },
    { redirect_uris: [1] },
    { redirect_uris: [{}, null] },
    { redirect_uris: ['http://app.test/cb'] },
    { redirect_uris: ['javascript:alert(1)'] },
    { redirect_uris: [`https://app.test/${'x'.repeat(2_048)}`] },
    { redirect_uris: Array.from({ length: 11 }, (_, at) => `${redirect_uri}${at}`) },
    { client_uri: 'javascript:alert(1)' },
    { client_uri: 7 },
    { grant_types: ['client_credentials'] },
    { response_types: 'code' },
  ]
  const addresses = faults.map((fault) => someDocument({ ...good, ...fault }).client_id)
  const big = `{"client_name":"${'x'.repeat(bounds.document_bytes_max)}"}`
  for (const text of [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '<html>',
    Buffer.from([0x7b, 0xff, 0x7d]),
    big,
    '['.repeat(8_000),
  ]) {
    const { client_id, path } = someDocument()
    serve(path, text)
    addresses.push(client_id)
  }
  const { client_id: moved, path } = someDocument()
  host.handlers.set(path, (_, response) => void response.writeHead(302, { location: someDocument().client_id }).end())
  const { client_id: missing, path: missing_path } = someDocument()
  host.handlers.set(missing_path, (_, response) => void response.writeHead(404).end('{}'))
  for (const client_id of [...addresses, moved, missing]) {
    // Each with another person, because a person may cause few fetches; the host's count starts again.
    plaza.clock.advance(bounds.fetches_per_host.seconds / 10)
    await expectRefused(client_id, refused('client_document_unusable'), await someUser(plaza))
  }
})

test('D-36: a document must be application/json, whatever it holds', async () => {
  for (const type of ['', 'text/html', 'text/plain', 'text/json', 'application/jsonp', 'application/json-seq'])
    await expectRefused(someDocument({}, type).client_id, refused('client_document_unusable'), await someUser(plaza))
  for (const type of ['application/json', 'Application/JSON ; charset=UTF-8'])
    expect(await open(someDocument({}, type).client_id, await someUser(plaza))).toEqual(refused('app_not_approved'))
})

test('D-36: a client_id that is not a document’s address is an unknown client, and nothing is fetched', async () => {
  const user = await someUser(plaza)
  const before = host.requests.length
  const { host: at } = new URL(host.url)
  for (const client_id of [
    'unknown',
    'ftp://app.test/a',
    'https://app.test',
    'https://app.test/',
    'https://app.test/a?b',
    'https://app.test/a#b',
    'https://u:p@app.test/a',
    'https://app.test/a/../b',
    'https://APP.test/a',
    'https://app.test:443/a',
    'https://app.test/ü',
    'http://app.test/a',
    `http://localhost:${at.split(':')[1]}/a`,
  ])
    await expectRefused(client_id, refused('unknown_client'), user)
  await expectRefused(`${host.url}/a`, refused('unknown_client'), user, careful)
  for (const client_id of [`${host.url}/a`, 'https://app.test/a'])
    await expectRefused(client_id, refused('unknown_client'), user, closed)
  expect(host.requests.length).toBe(before)
})

test('D-36: by default no private address is asked, however it is written or resolved', async () => {
  dns.addresses.set('inside.test', [['10.0.0.1']])
  dns.addresses.set('mixed.test', [['93.184.215.14', '127.0.0.1']])
  const user = await someUser(plaza)
  for (const client_id of [
    `https://127.0.0.1:${host.port}/a`,
    'https://[::1]/a',
    'https://169.254.169.254/latest',
    'https://inside.test/a',
    'https://mixed.test/a',
    'https://nowhere.test/a',
  ])
    await expectRefused(client_id, refused('client_document_unusable'), user, careful)
})

test('D-36: only a person with a verified address causes a fetch; without a session, and at the return address, there is none', async () => {
  const { client_id, path } = someDocument()
  const unverified = await someUser(plaza, { verified: false })
  await expectRefused(client_id, refused('unknown_client'), unverified)
  const anonymous = new PlazaClient(plaza.url)
  expect((await anonymous.call(describeAuthorization, { query: queryOf(client_id) })).status).toBe(401)
  const back = await anonymous.call(describeReturn, { query: { client_id, redirect_uri } })
  expect(outcome(back)).toEqual(refused('unknown_client'))
  expect(fetched(path)).toBe(0)
})

test('D-36: a failed document is not fetched again immediately, but later', async () => {
  const user = await someUser(plaza)
  const { client_id, path } = someDocument({ client_name: '' })
  for (let time = 0; time < 3; time++) await expectRefused(client_id, refused('client_document_unusable'), user)
  expect(fetched(path)).toBe(1)
  plaza.clock.advance(bounds.failure_kept_seconds + 1)
  await expectRefused(client_id, refused('client_document_unusable'), user)
  expect(fetched(path)).toBe(2)
})

test('D-36: a person causes few fetches an hour', async () => {
  plaza.clock.advance(bounds.fetches_per_host.seconds + 1)
  const user = await someUser(plaza)
  for (let time = 0; time < bounds.fetches_per_person.requests; time++)
    expect(await open(someDocument().client_id, user)).toEqual(refused('app_not_approved'))
  const { client_id, path } = someDocument()
  await expectRefused(client_id, refused('rate_limited'), user)
  expect(fetched(path)).toBe(0)
  plaza.clock.advance(bounds.fetches_per_person.seconds + 1)
  expect((await user.api.call(me)).status).toBe(200)
  expect(await open(client_id, user)).toEqual(refused('app_not_approved'))
})

test('D-36: few documents an hour are fetched from a host, whatever the number of people', async () => {
  plaza.clock.advance(bounds.fetches_per_host.seconds + 1)
  for (let time = 0; time < bounds.fetches_per_host.requests; time++)
    expect(await open(someDocument().client_id, await someUser(plaza))).toEqual(refused('app_not_approved'))
  await expectRefused(someDocument().client_id, refused('rate_limited'), await someUser(plaza))
  plaza.clock.advance(bounds.fetches_per_host.seconds + 1)
})

test('D-36: parallel requests of one address make one app', async () => {
  const { client_id } = someDocument()
  const user = await someUser(plaza)
  const answers = await race(plaza, 8, () => open(client_id, user))
  expect(answers.map((answer) => answer)).toEqual(Array.from({ length: 8 }, () => refused('app_not_approved')))
  expect((await appsOf(client_id)).length).toBe(1)
})

test('D-36: the queue takes a bounded number of such apps; a decision makes room', async () => {
  plaza.clock.advance(bounds.fetches_per_host.seconds + 1)
  await plaza.db.sql`
    insert into oauth_apps (id, client_id, owner_id, app_name, redirect_uris, allowed_scopes, inserted_at, updated_at)
    select gen_random_uuid(), 'https://filled.test/' || n, ${system_user_id}, 'x', '{https://app.test/cb}', '{}', now(), now()
      from generate_series(1, ${bounds.pending_max}) n`
  const { client_id } = someDocument()
  await expectRefused(client_id, refused('rate_limited'), await someUser(plaza))
  await plaza.db.sql`update oauth_apps set status = 'rejected' where owner_id = ${system_user_id}`
  expect(await open(client_id, await someUser(plaza))).toEqual(refused('app_not_approved'))
})

test('D-36: the metadata says whether documents are read', async () => {
  const said = async ({ url }: TestService) =>
    (await new PlazaClient(url).result(authorizationServer)).client_id_metadata_document_supported
  expect(await Promise.all([plaza, careful, closed].map(said))).toEqual([true, true, false])
})
