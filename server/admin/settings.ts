import type { EnvReader } from '../platform/env-reader.ts'

export const readAdminSettings = (read: EnvReader) => ({
  /** Awards and payout limits above this amount wait for a second person (D-136); undefined if none do. */
  review_amount: read.integer('REVIEW_AMOUNT', undefined, { min: 0, max: 1_000_000_000 }),
})
