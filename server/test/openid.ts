import { decodeProtectedHeader } from 'jose'
import { PlazaClient } from '../../contract/client.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { listPublicKeys } from '../../contract/openid.ts'
import type { TestService } from './harness.ts'
import { authorizationQuery, codeRequest, pkce, someApp, someUser } from './world.ts'

/** The keys that verify identity tokens. */
export const kidsOf = async ({ url }: TestService) =>
  (await new PlazaClient(url).result(listPublicKeys)).keys.map(({ kid }) => kid)

/** Signs a person in; returns the key that signed the identity token. */
export async function signerOf(plaza: TestService) {
  const [app, user] = [await someApp(plaza), await someUser(plaza)]
  const { code_verifier, code_challenge } = pkce()
  const query = { ...authorizationQuery(app, code_challenge), scope: 'openid' }
  const { code } = await user.api.result(authorize, { query })
  const { id_token = '' } = await new PlazaClient(plaza.url).result(token, {
    body: codeRequest(app, { code, code_verifier }),
  })
  return decodeProtectedHeader(id_token).kid
}
