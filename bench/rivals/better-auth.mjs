// Better Auth's OAuth provider on the same PostgreSQL, set up as documented: one signed-in user, and one client that needs no consent.
// argv: port, database host, user, name. Sends the client's credentials and the user's cookie to its parent.
import { createServer } from 'node:http'
import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import pg from 'pg'

const [port, host, user, database] = process.argv.slice(2)
const base = `http://127.0.0.1:${port}`
const options = {
  baseURL: base,
  secret: 'a secret of a benchmark, long enough for the rule',
  database: new pg.Pool({ host, user, database, max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  logger: { level: 'error' },
  disabledPaths: ['/token'],
  plugins: [
    jwt(),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes: ['openid', 'profile', 'email', 'offline_access', 'points:read'],
    }),
  ],
}
const auth = betterAuth(options)
const { runMigrations } = await getMigrations(options)
await runMigrations()

const signedUp = await auth.api.signUpEmail({
  body: { email: 'bench@bench.test', password: 'a password of a benchmark', name: 'Bench' },
  returnHeaders: true,
})
const cookie = signedUp.headers
  .getSetCookie()
  .map((line) => line.split(';')[0])
  .join('; ')
const client = await auth.api.adminCreateOAuthClient({
  headers: new Headers({ cookie, origin: base }),
  body: {
    redirect_uris: ['https://bench.test/cb'],
    skip_consent: true,
    scope: 'points:read',
    token_endpoint_auth_method: 'client_secret_post',
  },
})
const handle = toNodeHandler(auth)
createServer((request, response) => {
  void handle(request, response)
}).listen(Number(port), '127.0.0.1', () =>
  process.send?.({ cookie, client_id: client.client_id, client_secret: client.client_secret }),
)
