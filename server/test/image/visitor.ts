import { request } from 'node:http'
import { awardPoints } from '../../../contract/admin.ts'
import { approveApp } from '../../../contract/admin-apps.ts'
import { createApp } from '../../../contract/oauth-apps.ts'
import { authorize, token } from '../../../contract/oauth.ts'
import { spendPoints } from '../../../contract/points.ts'
import { until } from '../engine/shell.ts'
import { pkce } from '../pkce.ts'
import { sleep } from '../wait.ts'

interface Reply {
  status: number
  headers: Record<string, unknown>
  body: string
}

interface Sent {
  body?: Record<string, unknown>
  headers?: Record<string, string>
}

export type Visit = (path: string, sent?: Sent) => Promise<Reply>

/** Sends requests to a port with this Host header: GET, or POST if there is a body. */
export const visitorOf =
  (address: string, port: number, host = `${address}:${port}`): Visit =>
  (path, { body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: address,
          port,
          path,
          agent: false,
          method: body ? 'POST' : 'GET',
          headers: { host, ...(body && { 'content-type': 'application/json' }), ...headers },
        },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (chunk) => void (text += chunk))
          answer.on('error', reject)
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
        },
      )
      outgoing.on('error', reject).end(body && JSON.stringify(body))
    })

/** Visits repeatedly; `stop` returns the status of every request, 0 for one without a response. */
export function startVisiting(visit: Visit) {
  let on = true
  const statuses: number[] = []
  const visitors = Array.from({ length: 4 }, async () => {
    while (on) {
      const reply = await visit('/.well-known/oauth-authorization-server').catch(() => undefined)
      statuses.push(reply?.status ?? 0)
      // Leaves the processors to the code under test.
      await sleep(20)
    }
  })
  return {
    async stop() {
      on = false
      await Promise.all(visitors)
      return statuses
    },
  }
}

/**
 * Creates an app that spends points of the admin, who owns and approves it and gets this many points. Returns a function that spends one
 * point with a key.
 */
export async function openSpender(visit: Visit, admin: { id: string; token: string }, points: number) {
  const call = async <Answer>(path: string, body: Record<string, unknown> | undefined, bearer?: string) => {
    const headers = { authorization: `Bearer ${bearer}` }
    const reply = await until(path, async () => {
      const answer = await visit(path, { ...(bearer !== undefined && { headers }), ...(body && { body }) })
      // A 503 of Caddy itself: it found no process that is ready.
      return (answer.status !== 503 || answer.body !== '') && answer
    })
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.body}`)
    return JSON.parse(reply.body) as Answer
  }
  const redirect_uri = 'https://app.test/cb'
  const { app } = await call<{ app: { id: string; client_id: string; client_secret: string } }>(
    createApp.path,
    { app_name: 'Spender', redirect_uris: [redirect_uri], requested_scopes: ['points:spend'] },
    admin.token,
  )
  await call(approveApp.path.replace('{id}', app.id), {}, admin.token)
  await call(awardPoints.path, { user_id: admin.id, amount: points }, admin.token)
  const { code_verifier, code_challenge } = pkce()
  const query = new URLSearchParams({
    client_id: app.client_id,
    response_type: 'code',
    redirect_uri,
    code_challenge,
    code_challenge_method: 'S256',
    scope: 'points:spend',
  })
  const { code } = await call<{ code: string }>(`${authorize.path}?${query.toString()}`, undefined, admin.token)
  const { access_token } = await call<{ access_token: string }>(token.path, {
    grant_type: 'authorization_code',
    code,
    code_verifier,
    redirect_uri,
    client_id: app.client_id,
    client_secret: app.client_secret,
  })
  return (key: string) =>
    visit(spendPoints.path, {
      body: { amount: 1 },
      headers: { authorization: `Bearer ${access_token}`, 'idempotency-key': key },
    })
}
