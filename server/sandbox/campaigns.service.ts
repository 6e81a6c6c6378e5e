import { surface_types } from '../../contract/ads.ts'
import { createCampaign, listAllCampaigns } from '../ads/campaigns.service.ts'
import type { Clock } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { Database } from '../platform/postgres/database.ts'
import { lockSamples } from './campaigns.store.ts'

/** Makes a sample campaign for every surface without any campaign, once for all processes (D-102). */
export const makeSampleCampaigns = ({ db, clock }: { db: Database; clock: Clock }) =>
  db.transaction(async (tx) => {
    await lockSamples(tx)
    const { data } = await listAllCampaigns(tx, { limit: 1 })
    if (data.length > 0) return
    for (const surface_type of surface_types)
      await createCampaign(tx, newId(), { name: `Sample ${surface_type}`, surface_type, payout_rate: 0.01 }, clock())
  })
