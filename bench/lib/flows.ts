import { pkce } from '../../server/test/pkce.ts'
import { rawForm, rawRequest } from './raw.ts'

/** A sequence of requests, each built from the previous response; the whole sequence counts as one. */
export interface Flow {
  /** The first request of a sequence, on connection `at`. */
  first(at: number): string
  /** The request after this response; undefined at the end of the sequence. */
  next(answer: string): string | undefined
}

export interface FlowOptions {
  server: 'plaza' | 'oidc-provider' | 'better-auth'
  client_id: string
  client_secret: string
  /** The credentials of signed-in users: JWTs for Plaza, cookies for the others. */
  sessions: string[]
}

const redirect_uri = 'https://bench.test/cb'

const paths = {
  plaza: { authorize: '/api/oauth/authorize', token: '/api/oauth/token' },
  'oidc-provider': { authorize: '/auth', token: '/token' },
  'better-auth': { authorize: '/api/auth/oauth2/authorize', token: '/api/auth/oauth2/token' },
}

/** Authorizes with PKCE, then exchanges the code with verifier and secret: the same two requests for every server. */
export function authorizeAndExchange(
  { server, client_id, client_secret, sessions }: FlowOptions,
  connection: number,
): Flow {
  const { authorize, token } = paths[server]
  const session = sessions[connection % sessions.length] ?? ''
  const credential: Record<string, string> =
    server === 'plaza' ? { authorization: `Bearer ${session}` } : { cookie: session }
  let verifier = ''
  let exchanged = false
  return {
    first() {
      const { code_verifier, code_challenge } = pkce()
      verifier = code_verifier
      exchanged = false
      const query = new URLSearchParams({
        client_id,
        response_type: 'code',
        redirect_uri,
        scope: 'points:read',
        state: 'bench',
        code_challenge,
        code_challenge_method: 'S256',
      })
      return rawRequest('GET', `${authorize}?${query.toString()}`, { accept: 'application/json', ...credential })
    },
    next(answer) {
      if (exchanged) {
        if (!answer.includes('"access_token"')) throw new Error(`no token: ${answer.slice(-300)}`)
        return undefined
      }
      exchanged = true
      const code = /[?&]code=([\w-]+)/.exec(answer)?.[1] ?? /"code":"([\w-]+)"/.exec(answer)?.[1]
      if (code === undefined) throw new Error(`no code: ${answer.slice(0, 600)}`)
      return rawForm(token, {
        grant_type: 'authorization_code',
        client_id,
        client_secret,
        code,
        redirect_uri,
        code_verifier: verifier,
      })
    },
  }
}

export interface HoldOptions {
  client_id: string
  client_secret: string
  /** Access tokens of people. */
  tokens: string[]
}

/** Holds a point of a person, then captures it as the app. */
export function holdAndCapture({ client_id, client_secret, tokens }: HoldOptions, connection: number): Flow {
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  let [at, is_captured] = [connection * 7919, false]
  return {
    first() {
      is_captured = false
      const authorization = `Bearer ${tokens[at++ % tokens.length] ?? ''}`
      return rawRequest('POST', '/api/external/points/holds', { authorization }, '{"amount":1}')
    },
    next(answer) {
      if (is_captured) return undefined
      is_captured = true
      const id = /"id":"([0-9a-f-]{36})"/.exec(answer)?.[1]
      if (id === undefined) throw new Error(`no hold: ${answer.slice(-300)}`)
      return rawRequest('POST', `/api/app/holds/${id}/capture`, { authorization: `Basic ${basic}` }, '{}')
    },
  }
}
