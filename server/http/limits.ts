import { isIPv6 } from 'node:net'
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

/** The limit of an endpoint: the declared one, or the setting that replaces it; undefined when there is none. */
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

/** The network address of a client as a principal; an IPv6 address counts by its /64, which one client controls. */
export function addressKey(address: string) {
  const plain = address.replace(/%.*$/s, '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  const [high = 0, low = 0] = groups.slice(6).map((group) => parseInt(group, 16))
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** The eight groups of an IPv6 address, normalised by the URL parser. */
function groupsOf(address: string) {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const first = head.split(':').filter(Boolean)
  const last = (tail ?? '').split(':').filter(Boolean)
  const zeros: string[] = Array(8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last]
}
