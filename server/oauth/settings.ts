import { decisions } from '../../contract/decisions.ts'
import type { EnvReader } from '../platform/env-reader.ts'

export type OAuthSettings = ReturnType<typeof readOAuthSettings>

const day_seconds = 86_400
const lifetime_bounds = { min: 1, max: 10 * 366 * day_seconds }

export const readOAuthSettings = (read: EnvReader) => ({
  lifetimes: readLifetimes(read),
  session_heartbeat_seconds: read.integer('SESSION_HEARTBEAT', decisions.app_sessions.heartbeat_seconds, {
    min: 1,
    max: day_seconds,
  }),
  client_documents: read.oneOf('CLIENT_DOCUMENTS', ['public', 'any', 'off'], 'public'),
})

function readLifetimes(read: EnvReader) {
  const { access_token_seconds, refresh_token_seconds, session_token_seconds } = decisions.app_tokens
  const { refresh_token_max_seconds } = decisions.end_of_grants
  return {
    access_token_seconds: read.integer('ACCESS_TOKEN_TTL', access_token_seconds, lifetime_bounds),
    refresh_token_seconds: read.integer('REFRESH_TOKEN_TTL', refresh_token_seconds, lifetime_bounds),
    refresh_token_max_seconds: read.integer('REFRESH_TOKEN_MAX_TTL', refresh_token_max_seconds, lifetime_bounds),
    session_token_seconds: read.integer('SESSION_TOKEN_TTL', session_token_seconds, lifetime_bounds),
  }
}
