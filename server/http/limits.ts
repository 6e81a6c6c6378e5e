import type { FastifyReply } from 'fastify'
import type { Declaration, Limit } from '../../contract/endpoint.ts'
import { Failure } from '../platform/failure.ts'
import type { RateCounter } from '../platform/rate-limit.ts'
import type { Clock } from '../platform/clock.ts'

export type LimitSettings = Record<NonNullable<Limit['setting']>, { requests: number; seconds: number } | 'off'>

export interface Limits {
  counter: RateCounter
  settings: LimitSettings
  clock: Clock
}

/** The limit of an endpoint: the declared one, or the setting that replaces it; undefined if there is none. */
export function limitOf({ limit }: Declaration, settings: LimitSettings) {
  if (!limit) return undefined
  const setting = limit.setting ? settings[limit.setting] : limit
  return setting === 'off' ? undefined : setting
}

/**
 * Counts a call of `principal` and sets the RateLimit headers (D-05; IETF draft). Fails with `rate_limited` beyond the limit.
 */
export async function countCall(
  limits: Limits,
  endpoint: Declaration,
  limit: { requests: number; seconds: number },
  principal: string,
  reply: FastifyReply,
) {
  const key = `${endpoint.method} ${endpoint.path} ${principal}`
  const { count, resets_at } = await limits.counter.hit(key, limit.seconds)
  const resets_in = Math.max(1, Math.ceil((resets_at.getTime() - limits.clock().getTime()) / 1000))
  const left = Math.max(0, limit.requests - count)
  reply.header('ratelimit-policy', `"default";q=${limit.requests};w=${limit.seconds}`)
  reply.header('ratelimit', `"default";r=${left};t=${resets_in}`)
  if (count > limit.requests) throw new Failure('rate_limited', { principal }, { retry_after_seconds: resets_in })
}
