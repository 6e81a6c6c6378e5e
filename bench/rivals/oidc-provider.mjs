// npm `oidc-provider` with its in-memory adapter, set up as documented, on a loopback port. argv: port. Sends 'ready' to its parent.
import Provider from 'oidc-provider'

const port = Number(process.argv[2])
const issuer = `http://127.0.0.1:${port}`
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret-bench-secret-bench-secret',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://bench.test/cb'],
      response_types: ['code'],
    },
  ],
  cookies: { keys: ['a key for the cookies of a benchmark'] },
  features: { introspection: { enabled: true }, devInteractions: { enabled: true } },
  pkce: { required: () => true },
  scopes: ['openid', 'offline_access', 'points:read'],
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  ttl: { AccessToken: 3600, AuthorizationCode: 600, Grant: 86400, Session: 86400, Interaction: 3600, IdToken: 3600 },
})
provider.listen(port, '127.0.0.1', () => process.send?.('ready'))
