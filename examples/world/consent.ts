import { createHash } from 'node:crypto'
import type { PlazaClient } from '../../contract/client.ts'
import { authorize, token } from '../../contract/oauth.ts'

export interface ExampleApp {
  id: string
  client_id: string
  client_secret: string
  redirect_uri: string
}

const code_verifier = 'example-verifier-'.repeat(4)
const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')

/** The parameters with which an app asks for consent. */
export const authorizationOf = (
  { client_id, redirect_uri }: Pick<ExampleApp, 'client_id' | 'redirect_uri'>,
  scope: string,
) =>
  new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge,
    code_challenge_method: 'S256',
    scope,
  })

/** The person consents to the app; returns a client with the app's access token. */
export async function connectApp(person: PlazaClient, app: ExampleApp, scope: string): Promise<PlazaClient> {
  const { client_id, redirect_uri } = app
  const query = Object.fromEntries(authorizationOf(app, scope)) as never
  const { code } = await person.result(authorize, { query })
  const { access_token } = await person.withClient(app).result(token, {
    body: { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier },
  })
  return person.withToken(access_token)
}
