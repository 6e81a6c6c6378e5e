import { X509Certificate } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, importX509, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { rejectApp } from '../../../contract/admin-apps.ts'
import { createSecret, deleteSecret, listMyApps, updateMyApp } from '../../../contract/oauth-apps.ts'
import { getRegistryToken } from '../../../contract/registry.ts'
import type { Scope } from '../../../contract/kinds/scopes.ts'
import { startTestService } from '../../test/harness.ts'
import { someHostingApp } from '../../test/hosting-world.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { theAdmin } from '../../test/world.ts'
import { hosting_settings, long_lifetimes } from '../../test/settings.ts'
import { registryKeySealing, replaceRoot } from './registry.service.ts'

const service = hosting_settings.REGISTRY_PRIVATE
const worker = { REGISTRY_PRIVATE_USERNAME: 'worker-of-tests', REGISTRY_PRIVATE_PASSWORD: 'pulls-everything' }
const plaza = await startTestService({ ...hosting_settings, ...long_lifetimes, ...worker })

interface Credentials {
  client_id: string
  client_secret: string
}
const clientOf = (credentials: Credentials, { url } = plaza) => new PlazaClient(url, credentials)
const ask = async (credentials: Credentials, scope?: string | string[], at = plaza) =>
  outcome(await clientOf(credentials, at).call(getRegistryToken, { query: { service, ...(scope && { scope }) } }))
const tokenOf = (credentials: Credentials, scope?: string | string[], at = plaza) =>
  clientOf(credentials, at).result(getRegistryToken, { query: { service, ...(scope && { scope }) } })
const accessOf = (token: string) => decodeJwt(token).access

async function rootCertificate() {
  const rows = await plaza.db.sql<{ certificate: string }>`select certificate from registry_roots`
  expect(rows).toHaveLength(1)
  return new X509Certificate(rows[0]!.certificate)
}
/** The certificate of a token's key. */
const certificateOf = (token: string) =>
  new X509Certificate(Buffer.from(decodeProtectedHeader(token).x5c![0]!, 'base64'))

test('D-95: a token of the registry has the claims, the signature, and a certificate of the root', async () => {
  const app = await someHostingApp(plaza)
  const scope = `repository:${app.client_id}/web:pull,push`
  const { token, access_token, expires_in, issued_at } = await tokenOf(app, scope)
  expect([access_token, expires_in, issued_at]).toEqual([token, 300, plaza.clock.now().toISOString()])
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'JWT', x5c: [expect.any(String)] })
  const certificate = certificateOf(token)
  const root = await rootCertificate()
  expect([certificate.verify(root.publicKey), certificate.checkIssued(root), certificate.ca, root.ca]).toEqual([
    true,
    true,
    false,
    true,
  ])
  const key = await importX509(certificate.toString(), 'RS256')
  const checks = { issuer: plaza.url, audience: service, currentDate: plaza.clock.now() }
  const { payload } = await jwtVerify(token, key, checks)
  const seconds = Math.floor(plaza.clock.now().getTime() / 1000)
  expect(payload).toEqual({
    access: [{ type: 'repository', name: `${app.client_id}/web`, actions: ['pull', 'push'] }],
    iss: plaza.url,
    aud: service,
    sub: app.client_id,
    jti: expect.any(String) as string,
    iat: seconds,
    nbf: seconds - 60,
    exp: seconds + 300,
  })
  expect(accessOf((await tokenOf(app)).token)).toEqual([])
  // Docker repeats the parameter for several scopes.
  const asked = new URLSearchParams([
    ['account', app.client_id],
    ['client_id', 'docker'],
    ['offline_token', 'true'],
    ['service', service],

    ['scope', scope],
    ['scope', 'repository:shared/base:pull,push'],
  ])
  const several = await fetch(`${plaza.url}/api/deploy/registry/token?${asked.toString()}`, {
    headers: { authorization: `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}` },
  })
  expect(accessOf(((await several.json()) as { token: string }).token)).toEqual([
    { type: 'repository', name: `${app.client_id}/web`, actions: ['pull', 'push'] },
    { type: 'repository', name: 'shared/base', actions: ['pull'] },
  ])
})

test('D-95: a process changes its key after half a day; a replaced root is used within seconds, and there is only one', async () => {
  const app = await someHostingApp(plaza)
  const first = certificateOf((await tokenOf(app)).token).serialNumber
  plaza.clock.advance(11 * 3600)
  expect(certificateOf((await tokenOf(app)).token).serialNumber).toBe(first)
  plaza.clock.advance(2 * 3600)
  const { token } = await tokenOf(app)
  expect(certificateOf(token).serialNumber).not.toBe(first)
  expect(certificateOf(token).verify((await rootCertificate()).publicKey)).toBe(true)
  // Without a root, another process creates a new one, and both use it.
  await plaza.db.sql`delete from registry_roots`
  const others = await Promise.all([plaza.startAnother(), plaza.startAnother()])
  await Promise.all(others.flatMap((other) => Array.from({ length: 5 }, () => tokenOf(app, undefined, other))))
  plaza.clock.advance(6)
  const root = await rootCertificate()
  for (const at of [plaza, ...others])
    expect(certificateOf((await tokenOf(app, undefined, at)).token).verify(root.publicKey)).toBe(true)
  for (const { service: other } of others) await other.stop()
})

test('D-95: refusals: no credentials, a wrong or deleted secret, another registry, no scope, no approval, no private registry', async () => {
  const app = await someHostingApp(plaza)
  const anonymous = await new PlazaClient(plaza.url).call(getRegistryToken, { query: { service } })
  expect(outcome(anonymous)).toEqual(refused('client_credentials_missing'))
  expect(anonymous.headers.get('www-authenticate')).toBe('Basic realm="plaza", charset="UTF-8"')
  expect(await ask({ ...app, client_secret: 'wrong' })).toEqual(refused('client_unauthorized'))
  const second = await app.owner.api.result(createSecret, { params: { id: app.id } })
  const { client_id } = app
  expect((await ask({ client_id, client_secret: second.client_secret }))[0]).toBe(200)
  await app.owner.api.result(deleteSecret, { params: { id: app.id, secret_id: second.id } })
  expect(await ask({ client_id, client_secret: second.client_secret })).toEqual(refused('client_unauthorized'))
  const client = clientOf(app)
  expect(outcome(await client.call(getRegistryToken, { query: { service: 'elsewhere.test' } }))).toEqual(
    refused('not_found'),
  )
  const without = await plaza.startAnother({
    REGISTRY_PRIVATE: 'off',
    REGISTRY_PRIVATE_USERNAME: '',
    REGISTRY_PRIVATE_PASSWORD: '',
  })
  expect(await ask(app, undefined, without)).toEqual(refused('not_found'))
  await without.service.stop()
  const mine = (await app.owner.api.result(listMyApps)).find(({ id }) => id === app.id)!
  const allowed_scopes = mine.allowed_scopes.filter((scope) => scope !== 'deploy:manage') as Scope[]
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { allowed_scopes } })
  expect(await ask(app)).toEqual(refused('client_lacks_scope'))
  const admin = await theAdmin(plaza)
  await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
  expect(await ask(app)).toEqual(refused('client_not_approved'))
})

test('D-95: a worker pulls with its own credentials, and their guessing is limited', async () => {
  const credentials = { client_id: worker.REGISTRY_PRIVATE_USERNAME, client_secret: worker.REGISTRY_PRIVATE_PASSWORD }
  const { token } = await tokenOf(credentials, 'repository:plz_any/web:pull,push')
  expect(accessOf(token)).toEqual([{ type: 'repository', name: 'plz_any/web', actions: ['pull'] }])
  expect(decodeJwt(token).sub).toBe('worker')
  // The failures of the earlier tests have expired.
  plaza.clock.advance(61)
  const strict = await plaza.startAnother({ RATE_LIMIT_TOKEN: '3/60' })
  for (let n = 0; n < 3; n++)
    expect(await ask({ ...credentials, client_secret: 'guess' }, undefined, strict)).toEqual(
      refused('client_unauthorized'),
    )
  // Wrong and right passwords now get the same response.
  for (const client_secret of ['guess', credentials.client_secret])
    expect(await ask({ ...credentials, client_secret }, undefined, strict)).toEqual(refused('rate_limited'))
  await strict.service.stop()
})

test('O1: a root that was created while the clock was a year ahead is valid once the clock is right', async () => {
  const ahead = () => new Date(plaza.clock.now().getTime() + 365 * 86_400_000)
  const keys = registryKeySealing(['a secret of this test, long enough'])
  const { certificate } = await replaceRoot({ db: plaza.db, clock: ahead, keys })
  expect(new Date(new X509Certificate(certificate).validFrom).getTime()).toBeLessThan(plaza.clock.now().getTime())
})
