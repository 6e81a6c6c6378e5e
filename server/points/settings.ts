import { decisions } from '../../contract/decisions.ts'
import type { EnvReader } from '../platform/env-reader.ts'

export type PointsSettings = ReturnType<typeof readPointsSettings>

/** The points that people get for registering and for referrals, and the limits of points that they send. */
export function readPointsSettings(read: EnvReader) {
  const { signup_points, referral_points } = decisions.gifts
  const { agent_daily_limit } = decisions.agents
  const { send_proof_above, send_daily_limit } = decisions.sending
  const bounds = { min: 0, max: 1_000_000_000 }
  return {
    signup_points: read.integer('SIGNUP_POINTS', signup_points, bounds),
    referral_points: read.integer('REFERRAL_POINTS', referral_points, bounds),
    /** A person who sends more points at once proves who they are (D-137). */
    send_proof_above: read.integer('SEND_PROOF_ABOVE', send_proof_above, bounds),
    /** The most points that a person sends in 24 hours. */
    send_daily_limit: read.integer('SEND_DAILY_LIMIT', send_daily_limit, bounds),
    /** Points that came into an app leave it only after so many days, but for refunds (D-131). */
    earnings_held_days: read.integer('EARNINGS_HELD_DAYS', 0, { min: 0, max: decisions.income.held_days_max }),
    /** The most points that tools of an agent move in 24 hours, where the person has set no daily limit (D-156). */
    agent_daily_limit: read.integer('AGENT_DAILY_LIMIT', agent_daily_limit, bounds),
    /** The most points that an app pays out in 24 hours, unless admins set another limit (D-132). */
    payout_daily_limit: read.integer('PAYOUT_DAILY_LIMIT', undefined, bounds),
    /** Whether rewards wait for a verified address. */
    rewards: read.oneOf('REWARDS', ['when_verified', 'at_once'], 'when_verified'),
  }
}
