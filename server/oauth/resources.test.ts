import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { getExternalUser } from '../../contract/external.ts'
import { mcp_path } from '../../contract/mcp.ts'
import { authorize, describeAuthorization, pushAuthorization, token, verifyToken } from '../../contract/oauth.ts'
import { agentWorld } from '../test/agents.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused, refusedByOAuth } from '../test/refusals.ts'
import {
  authorizationQuery,
  codeRequest,
  pkce,
  raw,
  refreshRequest,
  someApp,
  someCode,
  someTokens,
  someUser,
} from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const agents = plaza.url + mcp_path
const unknown = ['https://other.test/mcp', `${plaza.url}/mcp/`, `${plaza.url}/mcp?a`, `${plaza.url}/other`, 'mcp']

test('D-156: an unknown resource is `invalid_target` at the authorization, the pushed request and the token endpoint', async () => {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const query = authorizationQuery(app, pkce().code_challenge)
  for (const resource of unknown) {
    expect(outcome(await user.api.call(authorize, { query: { ...query, resource } }))).toEqual(
      refused('invalid_target'),
    )
    const pushed = await anonymous.call(pushAuthorization, {
      body: { ...query, client_secret: app.client_secret, resource },
    })
    expect(outcome(pushed)).toEqual(refusedByOAuth('invalid_target'))
  }
  const sent = codeRequest(app, await someCode(app, user, undefined, agents))
  for (const resource of [...unknown, plaza.url])
    expect(outcome(await anonymous.call(token, { body: { ...sent, resource } }))).toEqual(
      refusedByOAuth('invalid_target'),
    )
  const issued = await anonymous.result(token, { body: { ...sent, resource: agents } })
  const refresh = (resource: string) =>
    anonymous.call(token, { body: { ...refreshRequest(app, issued.refresh_token), resource } })
  expect(outcome(await refresh(plaza.url))).toEqual(refusedByOAuth('invalid_target'))
  const renewed = (await refresh(agents)).body as typeof issued
  const verified = await anonymous.result(verifyToken, { body: { token: renewed.access_token } })
  expect([verified.active, verified.aud]).toEqual([true, agents])
  const silent = await anonymous.result(token, { body: refreshRequest(app, renewed.refresh_token) })
  expect((await anonymous.result(verifyToken, { body: { token: silent.access_token } })).aud).toBe(agents)
})

test('D-156: a token works at its own resource only; a request of a foreign page is refused first', async () => {
  const { user, app, tokens } = await agentWorld(plaza)
  expect(outcome(await tokens.api.call(getExternalUser))).toEqual(refused('invalid_token'))
  const call = (access_token: string, headers: Record<string, string> = {}) =>
    raw(plaza, 'POST', mcp_path, {
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  const of_api = await someTokens(plaza, app, user)
  const refusal = await call(of_api.access_token)
  expect([refusal.status, refusal.body]).toEqual(refused('invalid_token'))
  expect(refusal.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${plaza.url}/.well-known/oauth-protected-resource/mcp", error="invalid_token"`,
  )
  const foreign = await call(tokens.access_token, { origin: 'https://evil.test' })
  expect([foreign.status, foreign.body]).toEqual(refused('origin_not_allowed'))
  const accept = 'application/json, text/event-stream'
  expect((await call(tokens.access_token, { origin: plaza.url, accept })).status).toBe(200)
  expect((await anonymous.result(verifyToken, { body: { token: of_api.access_token } })).aud).toBe(plaza.url)
})

test('D-156: a person allows each sign-in of an agent; a consent for the API does not cover it', async () => {
  const { user, app } = await agentWorld(plaza)
  await someCode(app, user, ['profile:read'])
  const query = { ...authorizationQuery(app, pkce().code_challenge), scope: 'profile:read' }
  const asked = async (resource?: string) => {
    const { consent_needed, for_agent } = await user.api.result(describeAuthorization, {
      query: { ...query, ...(resource && { resource }) },
    })
    return [consent_needed, for_agent]
  }
  expect(await asked()).toEqual([false, false])
  expect(await asked(`${plaza.url}/`)).toEqual([false, false])
  expect(await asked(agents)).toEqual([true, true])
  const unasked = await user.api.call(authorize, { query: { ...query, resource: agents, prompt: 'none' } })
  expect(outcome(unasked)).toEqual(refused('consent_required'))
})
