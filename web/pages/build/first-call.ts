import type { MyApp } from './access.ts'

export interface Step {
  name: 'ask' | 'exchange' | 'call'
  code: string
}

/** The last lines: a call that an app with these scopes may make. A read, if it may: a newcomer has no points to spend. */
const callOf = (scopes: readonly string[]) =>
  scopes.includes('points:spend') && !scopes.includes('points:read') && !scopes.includes('profile:read')
    ? `"$plaza/api/external/points/spend" \\
  --header 'Idempotency-Key: order-1' --json '{"amount":1,"description":"The first one"}'`
    : `"$plaza/api/external/${scopes.includes('points:read') ? 'points' : 'user'}"`

/** The shell commands up to the app's first call, with its client id, redirect URI and scopes. */
export function firstCall({ client_id, redirect_uris, allowed_scopes }: MyApp, origin: string): Step[] {
  const redirect_uri = redirect_uris[0] ?? ''
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    scope: allowed_scopes.join(' '),
    response_type: 'code',
    code_challenge_method: 'S256',
  })
  return [
    {
      name: 'ask',
      code: `plaza='${origin}'
verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
echo "$plaza/oauth/authorize?${query}&code_challenge=$challenge"`,
    },
    {
      name: 'exchange',
      code: `code='THE_CODE'
client_secret='THE_SECRET'
access_token=$(curl --silent "$plaza/api/oauth/token" --user "${client_id}:$client_secret" \\
  --data 'grant_type=authorization_code' --data "code=$code" --data "code_verifier=$verifier" \\
  --data '${new URLSearchParams({ redirect_uri })}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    },
    { name: 'call', code: `curl --header "Authorization: Bearer $access_token" ${callOf(allowed_scopes)}` },
  ]
}
