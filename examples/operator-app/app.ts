import { randomUUID } from 'node:crypto'
import { fastify as newServer, type FastifyInstance, type FastifyRequest } from 'fastify'
import { answerOf, isPlazaError, openPlaza, refreshedTokens, tokenSetOf } from '@plaza/client'
import * as oauth from 'openid-client'
import { openOrders } from './orders.ts'
import { refusal, sendPage, shop, welcome } from './pages.ts'
import { openSessions, type Session } from './sessions.ts'

export interface Settings {
  plaza_url: string
  client_id: string
  client_secret: string
  /** The secret of the webhook that sends to this app's `/webhooks`. */
  webhook_secret?: string | undefined
  port: number
  /** The public address of this app; register its `/callback` as the redirect URI. */
  app_url: string
}

interface Parts {
  plaza: oauth.Configuration
  settings: Settings
  sessions: ReturnType<typeof openSessions>
  orders: ReturnType<typeof openOrders>
}

const scope = 'profile:read points:read points:spend'

/** Signs users in with their Plaza account and sells them stickers for points. Rejects when Plaza cannot be reached. */
export async function startOperatorApp(settings: Settings) {
  const { plaza_url, client_id, client_secret, port, app_url } = settings
  const plaza = await oauth.discovery(new URL(plaza_url), client_id, client_secret, undefined, {
    algorithm: 'oauth2',
    // Plain http is only for a Plaza on this machine; the library refuses it by default.
    execute: new URL(plaza_url).protocol === 'http:' ? [oauth.allowInsecureRequests] : [],
  })
  const server = newServer()
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, text: string | Buffer) => Object.fromEntries(new URLSearchParams(String(text))),
  )
  refuseOtherSites(server, app_url)
  const orders = openOrders(settings)
  const parts = { plaza, settings, sessions: openSessions(app_url), orders }
  signInRoutes(server, parts)
  shopRoutes(server, parts)
  orderRoutes(server, parts)
  webhookRoutes(server, parts)
  await server.listen({ host: '127.0.0.1', port })
  return { stop: () => server.close() }
}

/** Refuses forms from other sites, whatever cookies the browser sends. */
function refuseOtherSites(server: FastifyInstance, app_url: string) {
  server.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (method !== 'POST' || url === '/webhooks') return
    const { origin = new URL(app_url).origin, 'sec-fetch-site': site = 'same-origin' } = headers
    if (origin !== new URL(app_url).origin || site !== 'same-origin')
      return sendPage(reply.code(403), refusal('This form was sent by another site.'))
  })
}

function signInRoutes(server: FastifyInstance, { plaza, settings, sessions }: Parts) {
  server.get('/sign-in', async (_request, reply) => {
    const pending = { code_verifier: oauth.randomPKCECodeVerifier(), state: oauth.randomState() }
    sessions.start(reply, { pending_sign_in: pending })
    const url = oauth.buildAuthorizationUrl(plaza, {
      redirect_uri: `${settings.app_url}/callback`,
      scope,
      state: pending.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.code_verifier),
      code_challenge_method: 'S256',
    })
    return reply.redirect(url.href, 303)
  })

  server.get('/callback', async (request, reply) => {
    const session = sessions.of(request)
    if (!session?.pending_sign_in) return sendPage(reply.code(400), refusal('This sign-in was not started here.'))
    sessions.end(session)
    const { code_verifier, state } = session.pending_sign_in
    try {
      const granted = await oauth.authorizationCodeGrant(plaza, new URL(request.url, settings.app_url), {
        pkceCodeVerifier: code_verifier,
        expectedState: state,
      })
      sessions.start(reply, { tokens: tokensOf(granted) })
      return await reply.redirect('/', 303)
    } catch (error) {
      if (!(error instanceof oauth.AuthorizationResponseError)) throw error
      return sendPage(reply.code(403), refusal(`Plaza answered: ${error.error}.`))
    }
  })

  server.post('/sign-out', async (request, reply) => {
    const session = sessions.of(request)
    if (session) sessions.end(session)
    // Revoking the refresh token revokes its access tokens too.
    if (session?.tokens) await oauth.tokenRevocation(plaza, session.tokens.refresh_token)
    return reply.redirect('/', 303)
  })
}

/** Plaza's API for the person; undefined without a sign-in. Concurrent requests share one refresh of expired tokens. */
function apiFor({ plaza_url: url, client_id, client_secret }: Settings, session: Session | undefined) {
  if (!session?.tokens) return undefined
  const { tokens } = session
  const save = (next: typeof tokens) => void (session.tokens = next)
  return (session.api ??= openPlaza({ url, credentials: refreshedTokens({ client_id, client_secret, tokens, save }) }))
}

function shopRoutes(server: FastifyInstance, { settings, sessions, orders }: Parts) {
  server.get('/', async (request, reply) => {
    const session = sessions.of(request)
    const api = apiFor(settings, session)
    if (!session || !api) return sendPage(reply, welcome)
    const [{ user }, { points }] = await Promise.all([api.getExternalUser(), api.getPoints()])
    const { notice } = session
    delete session.notice
    return sendPage(reply, shop({ ...user, points, notice, orders: orders.of(user.id) }))
  })

  server.post<{ Body: { amount?: string; key?: string } }>('/spend', async (request, reply) => {
    const session = sessions.of(request)
    const api = apiFor(settings, session)
    if (!session || !api) return reply.redirect('/', 303)
    const { amount, key: idempotency_key } = request.body
    const purchase = { amount: Number(amount), description: 'a sticker' }
    session.notice = await answerOf(api.spendPoints, purchase, { idempotency_key }).then(
      ({ body, is_replayed }) =>
        is_replayed
          ? 'You bought this one already: nothing was taken again.'
          : `Thank you! ${body.amount_spent} points were taken.`,
      refusalText,
    )
    return reply.redirect('/', 303)
  })

  server.post<{ Body: { reference?: string } }>('/order', async (request, reply) => {
    const session = sessions.of(request)
    const api = apiFor(settings, session)
    if (!session || !api) return reply.redirect('/', 303)
    const order = { amount: 40, reference: request.body.reference ?? randomUUID() }
    session.notice = await orders
      .place(api, order)
      .then(() => 'Thank you! 40 points are set aside until it ships.', refusalText)
    return reply.redirect('/', 303)
  })
}

/** Steps that a real shop's staff would take; in this demo, the customer takes them. */
function orderRoutes(server: FastifyInstance, { settings, sessions, orders }: Parts) {
  /** The order named in a form, if it belongs to the signed-in person; otherwise undefined. */
  async function ownOrder(request: FastifyRequest<{ Body: { reference?: string } }>) {
    const api = apiFor(settings, sessions.of(request))
    if (!api) return undefined
    const { user } = await api.getExternalUser()
    return orders.of(user.id).find(({ reference }) => reference === request.body.reference)
  }

  server.post<{ Body: { reference?: string } }>('/ship', async (request, reply) => {
    const order = await ownOrder(request)
    if (!order) return sendPage(reply.code(404), refusal('You have no such order.'))
    await orders.ship(order.reference, 25)
    return reply.redirect('/', 303)
  })
  server.post<{ Body: { reference?: string } }>('/give-back', async (request, reply) => {
    const order = await ownOrder(request)
    if (!order) return sendPage(reply.code(404), refusal('You have no such order.'))
    await orders.giveBack(order.reference, 10, 'arrived scratched')
    return reply.redirect('/', 303)
  })
}

/** Plaza's webhooks. The signature covers the raw body, so the body is verified before it is parsed. */
function webhookRoutes(server: FastifyInstance, { orders }: Parts) {
  void server.register(async (scope) => {
    const asText = async (_request: unknown, text: string | Buffer) => String(text)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, asText)
    scope.post<{ Body: string }>('/webhooks', async ({ body, headers }, reply) => {
      const is_accepted = orders.accept(body, headers as Record<string, string>)
      return reply.code(is_accepted ? 204 : 401).send()
    })
  })
}

/** The part of a token response that a session stores. */
const tokensOf = ({ access_token, refresh_token = '', expires_in = 0 }: oauth.TokenEndpointResponse) =>
  tokenSetOf({ access_token, refresh_token, expires_in })

/** Plaza's reason for a refusal, for the person. Any other error is a fault of the shop. */
function refusalText(error: unknown): string {
  if (isPlazaError(error)) return error.detail
  throw error
}
