import type { decideCase } from '../../contract/admin-moderation.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { invalidField } from '../platform/failure.ts'

const limits = decisions.moderation

/** The outcomes of a person's recently decided reports. */
export interface RecentReports {
  acted: number
  dismissed: number
}

/** Decisions after this time count for `isDoubted`. */
export const doubtedSince = (now: Date) => secondsAfter(now, -limits.doubted_days * 86_400)

/**
 * Whether so many recent reports of a person were dismissed that they may have only one open report at a time (D-109).
 */
export const isDoubted = ({ acted, dismissed }: RecentReports) =>
  dismissed >= limits.doubted_dismissals && dismissed > acted

export const openReportsMax = (doubted: boolean) => (doubted ? limits.doubted_open_max : limits.open_reports_max)

/** The body of an admin's decision. */
export type SentDecision = BodyOf<typeof decideCase>

/** The end of a mute, which must be in the future and within the maximum. Fails with `validation_failed`. */
export function readMuteEnd(text: string, now: Date) {
  const until = new Date(text)
  if (Number.isNaN(until.getTime())) throw invalidField('muted_until', 'moment')
  if (until <= now) throw invalidField('muted_until', 'to_come')
  if (until > secondsAfter(now, limits.mute_days_max * 86_400))
    throw invalidField('muted_until', ['within_days', { max: limits.mute_days_max }])
  return until
}

/** Checks that the parts of a decision are consistent; returns the end of the mute. Fails with `validation_failed`. */
export function readDecision({ actions, muted_until }: SentDecision, now: Date) {
  if (actions.includes('dismiss') && actions.length > 1) throw invalidField('actions', 'dismiss_alone')
  const mutes = actions.includes('mute')
  if (mutes && muted_until === undefined) throw invalidField('muted_until', 'needed_by_mute')
  if (!mutes && muted_until !== undefined) throw invalidField('muted_until', 'mute_only')
  return muted_until === undefined ? null : readMuteEnd(muted_until, now)
}

/** The outcome shown to reporters. */
export const outcomeOf = (actions: readonly string[]) => (actions.includes('dismiss') ? 'dismissed' : 'acted')
