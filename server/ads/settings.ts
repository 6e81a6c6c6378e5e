import type { EnvReader } from '../platform/env-reader.ts'

export type AdsSettings = ReturnType<typeof readAdsSettings>

export const readAdsSettings = (read: EnvReader) => ({ ad_repeats: readAdRepeats(read) })

/** The number of times that a person may see a campaign in an hour; undefined for no limit. */
const readAdRepeats = (read: EnvReader) =>
  (read.text('AD_REPEATS') ?? 'off') === 'off' ? undefined : read.integer('AD_REPEATS', 1, { min: 1, max: 10_000 })
