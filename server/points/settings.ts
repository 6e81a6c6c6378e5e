import { decisions } from '../../contract/decisions.ts'
import type { EnvReader } from '../platform/env-reader.ts'

export type PointsSettings = ReturnType<typeof readPointsSettings>

/** The points for registration and referrals, and the limits on points that people send. */
export function readPointsSettings(read: EnvReader) {
  const { signup_points, referral_points } = decisions.gifts
  const { agent_daily_limit } = decisions.agents
  const { send_proof_above, send_daily_limit } = decisions.sending
  const bounds = { min: 0, max: 1_000_000_000 }
  return {
    signup_points: read.integer('SIGNUP_POINTS', signup_points, bounds),
    referral_points: read.integer('REFERRAL_POINTS', referral_points, bounds),
    /** Above this amount, a person must prove their identity to send points (D-137). */
    send_proof_above: read.integer('SEND_PROOF_ABOVE', send_proof_above, bounds),
    /** Maximum points that a person may send in 24 hours. */
    send_daily_limit: read.integer('SEND_DAILY_LIMIT', send_daily_limit, bounds),
    /** The number of days before earned points can leave an app, except for refunds (D-131). */
    earnings_held_days: read.integer('EARNINGS_HELD_DAYS', 0, { min: 0, max: decisions.income.held_days_max }),
    /** Maximum points that an agent's tools may move in 24 hours if the person has set no daily limit (D-156). */
    agent_daily_limit: read.integer('AGENT_DAILY_LIMIT', agent_daily_limit, bounds),
    /** Maximum points that an app may pay out in 24 hours, unless admins set another limit (D-132). */
    payout_daily_limit: read.integer('PAYOUT_DAILY_LIMIT', undefined, bounds),
    /** Whether rewards wait for a verified address. */
    rewards: read.oneOf('REWARDS', ['when_verified', 'at_once'], 'when_verified'),
  }
}
