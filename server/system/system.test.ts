import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { databaseNameOf, sharedService } from '../test/harness.ts'
import { raw } from '../test/world.ts'
import { package_version } from '../platform/package.ts'

const plaza = await sharedService()
const get = async (path: string, headers: Record<string, string> = {}) => {
  const { status, body, headers: sent } = await raw(plaza, 'GET', path, { headers })
  expect(sent.get('content-type')).toBe('application/json; charset=utf-8')
  return [status, body]
}

const resource_metadata = {
  resource: plaza.url,
  authorization_servers: [plaza.url],
  scopes_supported: ['profile:read', 'points:read', 'points:spend', 'points:transfer'],
  bearer_methods_supported: ['header'],
}
const server_metadata = {
  issuer: plaza.url,
  authorization_endpoint: `${plaza.url}/oauth/authorize`,
  token_endpoint: `${plaza.url}/api/oauth/token`,
  pushed_authorization_request_endpoint: `${plaza.url}/api/oauth/par`,
  require_pushed_authorization_requests: false,
  dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'RS256'],
  revocation_endpoint: `${plaza.url}/api/oauth/revoke`,
  introspection_endpoint: `${plaza.url}/api/oauth/token/verify`,
  userinfo_endpoint: `${plaza.url}/api/external/user`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  scopes_supported: [
    'openid',
    'profile:read',
    'points:read',
    'points:spend',
    'points:transfer',
    'app:balance:read',
    'deploy:manage',
  ],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${plaza.url}/docs`,
  jwks_uri: `${plaza.url}/.well-known/jwks.json`,
  end_session_endpoint: `${plaza.url}/oauth/logout`,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  claims_supported: 'iss sub aud exp iat auth_time nonce at_hash sid name email email_verified'.split(' '),
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  client_id_metadata_document_supported: true,
}

test('spec GET /health: status and the version of the package', async () => {
  expect(await get('/health')).toEqual([200, { status: 'ok', version: package_version }])
  expect(package_version).toMatch(/^\d+\.\d+\.\d+/)
})

test('spec Authentication 11, D-36: the resource document lists the scopes that an ordinary user can grant', async () => {
  expect(await get('/.well-known/oauth-protected-resource')).toEqual([200, resource_metadata])
})

test('D-36: the server metadata of RFC 8414 is the same at both paths', async () => {
  expect(await get('/.well-known/oauth-authorization-server')).toEqual([200, server_metadata])
  expect(await get('/.well-known/openid-configuration')).toEqual([200, server_metadata])
})

test('RFC 9728 §3.1: there is no document for a path below the resource, so clients fall back to the root one', async () => {
  expect(await get('/.well-known/oauth-protected-resource/api/external')).toEqual([
    404,
    { errors: { detail: 'Not Found' } },
  ])
})

test('D-36: every URL in the metadata is served', async () => {
  const { token_endpoint, revocation_endpoint, introspection_endpoint, userinfo_endpoint } = server_metadata
  const statuses = [
    (await fetch(token_endpoint, { method: 'POST' })).status,
    (await fetch(revocation_endpoint, { method: 'POST' })).status,
    (await fetch(introspection_endpoint, { method: 'POST' })).status,
    (await fetch(userinfo_endpoint)).status,
  ]
  expect(statuses).toEqual([400, 400, 200, 401])
})

test('D-36: discovery is open to pages of any origin', async () => {
  for (const path of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']) {
    const { headers } = await raw(plaza, 'GET', `/.well-known/${path}`, { headers: { origin: 'https://page.test' } })
    expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*'])
    expect(headers.get('access-control-allow-credentials')).toBe(null)
  }
  const preflight = await raw(plaza, 'OPTIONS', '/.well-known/oauth-protected-resource', {
    headers: {
      origin: 'https://page.test',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'mcp-protocol-version',
    },
  })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET'])
  expect(preflight.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version')
})

test('D-03: health is 503 while the database is unavailable, and 200 as soon as it is back', async () => {
  const name = await databaseNameOf(plaza)
  const server = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await server.connect()
  try {
    await server.query(`alter database ${name} with allow_connections false`)
    await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    const unavailable = await raw(plaza, 'GET', '/health')
    expect([unavailable.status, unavailable.body]).toEqual([
      503,
      { status: 'database_unavailable', version: package_version },
    ])
    expect(unavailable.headers.get('retry-after')).toBe('1')
  } finally {
    await server.query(`alter database ${name} with allow_connections true`)
    await server.end()
  }
  expect(await get('/health')).toEqual([200, { status: 'ok', version: package_version }])
})

const ready_checks = [
  { name: 'process', status: 'ok', reason: null },
  { name: 'database', status: 'ok', reason: null },
  { name: 'migrations', status: 'ok', reason: null },
  { name: 'mail', status: 'ok', reason: null },
  { name: 'log', status: 'ok', reason: null },
]

test('D-93: livez and readyz, with the checks of readyz', async () => {
  expect(await get('/livez')).toEqual([200, { status: 'ok' }])
  expect(await get('/readyz')).toEqual([200, { status: 'ready', checks: ready_checks }])
})

test('D-93: a stopping process is not ready, but live', async () => {
  const stopping = await plaza.startAnother()
  stopping.service.readiness.stop()
  const [live, ready, health] = await Promise.all(
    ['/livez', '/readyz', '/health'].map((path) => raw(stopping, 'GET', path)),
  )
  expect([live!.status, live!.body]).toEqual([200, { status: 'ok' }])
  expect([ready!.status, ready!.body]).toEqual([
    503,
    {
      status: 'not_ready',
      checks: [{ name: 'process', status: 'failed', reason: null }, ...ready_checks.slice(1)],
    },
  ])
  expect(ready!.headers.get('retry-after')).toBe('1')
  expect([health!.status, health!.body]).toEqual([503, { status: 'stopping', version: package_version }])
})

test('S-14, D-93: a degraded check is named and the process stays ready; a check that fails or throws makes it not ready', async () => {
  const { service, ...process } = await plaza.startAnother()
  const ask = async () => {
    const { status, body } = await raw({ service, ...process }, 'GET', '/readyz')
    return [status, (body as { checks: { name: string }[] }).checks.find(({ name }) => name === 'mail')]
  }
  service.readiness.add('mail', () => ({ status: 'degraded', reason: 'mails cannot be sent' }))
  // Anonymous callers read names and states; the log has the reason, once.
  for (let time = 0; time < 3; time++)
    expect(await ask()).toEqual([200, { name: 'mail', status: 'degraded', reason: null }])
  expect(process.logged().match(/"reason":"mails cannot be sent"/g)).toHaveLength(1)
  service.readiness.add('mail', () => {
    throw new Error('a secret')
  })
  expect(await ask()).toEqual([503, { name: 'mail', status: 'failed', reason: null }])
  expect(process.logged()).toContain('"status":"failed","reason":"the check failed"')
  service.readiness.add('mail', () => ({ status: 'ok' }))
  expect(await ask()).toEqual([200, { name: 'mail', status: 'ok', reason: null }])
  expect(process.logged()).toContain('a check of readiness is ok again')
})

test('D-93: the probes respond while rows and whole tables are locked', async () => {
  const holder = await plaza.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table point_accounts, users, transfers, schema_migrations in access exclusive mode')
    const waiting = Promise.all(Array.from({ length: 12 }, () => plaza.db.sql`select count(*) from point_accounts`))
    const replies = await Promise.all(
      ['/livez', '/readyz', '/health'].flatMap((path) =>
        Array.from({ length: 10 }, async () => (await raw(plaza, 'GET', path)).status),
      ),
    )
    expect(new Set(replies)).toEqual(new Set([200]))
    await holder.query('rollback')
    await waiting
  } finally {
    holder.release(true)
  }
})

test('D-93: concurrent probes share one query, on a dedicated connection', async () => {
  const connections = () => plaza.db.sql<{ pid: number; query: string }>`
    select pid from pg_stat_activity where application_name = 'plaza-probe' and datname = current_database()`
  const { service, ...process } = await plaza.startAnother()
  let asked = 0
  service.readiness.add('counted', async () => {
    asked++
    await plaza.db.sql`select pg_sleep(0.2)`
    return { status: 'ok' as const }
  })
  await Promise.all(Array.from({ length: 30 }, () => raw({ service, ...process }, 'GET', '/readyz')))
  expect(asked).toBeLessThan(5)
  // One per process: this one and those that other tests started.
  const before = await connections()
  await Promise.all(Array.from({ length: 30 }, () => raw({ service, ...process }, 'GET', '/readyz')))
  expect(await connections()).toHaveLength(before.length)
})
