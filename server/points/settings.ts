import { decisions } from '../../contract/decisions.ts'
import type { EnvReader } from '../platform/env-reader.ts'

export type PointsSettings = ReturnType<typeof readPointsSettings>

/** The points that people get for registering and for referrals. */
export function readPointsSettings(read: EnvReader) {
  const { signup_points, referral_points } = decisions.gifts
  const bounds = { min: 0, max: 1_000_000_000 }
  return {
    signup_points: read.integer('SIGNUP_POINTS', signup_points, bounds),
    referral_points: read.integer('REFERRAL_POINTS', referral_points, bounds),
    /** Whether rewards wait for a verified address. */
    rewards: read.oneOf('REWARDS', ['when_verified', 'at_once'], 'when_verified'),
  }
}
