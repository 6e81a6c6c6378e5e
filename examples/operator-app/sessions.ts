import { randomBytes } from 'node:crypto'
import type { Plaza, TokenSet } from '@plaza/client'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Session {
  /** A pending sign-in. */
  pending_sign_in?: { code_verifier: string; state: string }
  tokens?: TokenSet
  /** A client of Plaza with the person's tokens. */
  api?: Plaza<'token'>
  /** Shown once, on the next page. */
  notice?: string
}

const cookie_name = 'sticker_shop'
const in_cookies = new RegExp(`(?:^|; )${cookie_name}=([\\w-]+)`)

/**
 * Sessions in memory, keyed by a cookie that scripts cannot read. An app with several processes needs a shared store.
 */
export function openSessions(app_url: string) {
  const sessions = new Map<string, Session>()
  const attributes = `Path=/; HttpOnly; SameSite=Lax${app_url.startsWith('https:') ? '; Secure' : ''}`
  return {
    of: ({ headers }: FastifyRequest) => sessions.get(in_cookies.exec(headers.cookie ?? '')?.[1] ?? ''),

    /** Starts a session under a new id, which prevents session fixation. */
    start(reply: FastifyReply, session: Session) {
      const id = randomBytes(24).toString('base64url')
      sessions.set(id, session)
      reply.header('set-cookie', `${cookie_name}=${id}; ${attributes}`)
    },

    end(session: Session) {
      for (const [id, known] of sessions) if (known === session) sessions.delete(id)
    },
  }
}
