import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { updateDeployTier, adminListDeployTiers } from '../../../contract/admin-deployments.ts'
import { getHostingAvailability } from '../../../contract/deployments.ts'
import { startTestService } from '../../test/harness.ts'
import { someContainerHost, someHostingApp } from '../../test/hosting-world.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { someApp, someUser, theAdmin } from '../../test/world.ts'
import { hosting_settings } from '../../test/settings.ts'

const plaza = await startTestService({ ROLES: 'api' })
const user = await someUser(plaza)
const ask = async (api = user.api) => outcome(await api.call(getHostingAvailability))
const none = { private: null, public: null, code_host: null }

const off = { REGISTRY_PUBLIC: 'off', REGISTRY_CODE_HOST: 'off' }

test('D-113: a default installation has the public registries of Docker and GitHub, and no container host', async () => {
  const registries = { private: null, public: 'docker.io', code_host: 'ghcr.io' }
  expect(await ask()).toEqual([200, { available: false, missing: ['container_hosts'], registries }])
})

test('D-65, D-113: with registries switched off, hosting reports them as missing', async () => {
  const without = await plaza.startAnother(off)
  const api = new PlazaClient(without.url).withToken(user.token)
  expect(await ask(api)).toEqual([
    200,
    { available: false, missing: ['registries', 'container_hosts'], registries: none },
  ])
})

test('D-65: with both, hosting is available and names the registries; an unreachable engine and missing tiers are reported', async () => {
  const set_up = await plaza.startAnother(hosting_settings)
  const api = new PlazaClient(set_up.url).withToken(user.token)
  const registries = {
    private: hosting_settings.REGISTRY_PRIVATE,
    public: hosting_settings.REGISTRY_PUBLIC,
    code_host: hosting_settings.REGISTRY_CODE_HOST,
  }
  await someContainerHost(plaza, { reachable: false })
  expect(await ask(api)).toEqual([200, { available: false, missing: ['container_engine'], registries }])
  await someContainerHost(plaza, { seen_seconds_ago: 31 })
  expect(await ask(api)).toEqual([200, { available: false, missing: ['container_engine'], registries }])
  await someContainerHost(plaza)
  expect(await ask(api)).toEqual([200, { available: true, missing: [], registries }])
  const admin = await theAdmin(plaza)
  const { data } = await admin.api.result(adminListDeployTiers, { query: {} })
  for (const { id } of data) await admin.api.result(updateDeployTier, { params: { id }, body: { retired: true } })
  expect(await ask(api)).toEqual([200, { available: false, missing: ['tiers'], registries }])
  const [one] = data
  const one_image_source = await plaza.startAnother({
    ...hosting_settings,
    REGISTRY_PRIVATE: 'off',
    REGISTRY_PUBLIC: 'off',
  })
  await admin.api.result(updateDeployTier, { params: { id: one!.id }, body: { retired: false } })
  expect(await ask(new PlazaClient(one_image_source.url).withToken(user.token))).toEqual([
    200,
    { available: true, missing: [], registries: { ...none, code_host: hosting_settings.REGISTRY_CODE_HOST } },
  ])
})

test('D-95: the app itself and its tokens get the same response as a person; apps without deploy:manage are refused', async () => {
  const app = await someHostingApp(plaza)
  const as_person = await ask()
  const basic = { client_id: app.client_id, client_secret: app.client_secret }
  expect(await ask(new PlazaClient(plaza.url, basic))).toEqual(as_person)
  expect(await ask(new PlazaClient(plaza.url, app.tokens.access_token))).toEqual(as_person)
  expect(await ask(new PlazaClient(plaza.url, { ...basic, client_secret: 'wrong' }))).toEqual(
    refused('client_unauthorized'),
  )
  const { client_id, client_secret } = await someApp(plaza, { scopes: ['profile:read'] })
  expect(await ask(new PlazaClient(plaza.url, { client_id, client_secret }))).toEqual(refused('client_lacks_scope'))
})
