import type { Domain, Platform } from '../domain.ts'
import { adsRoutes } from './routes.ts'
import { openAdDraws, openAdEvents } from './service.ts'
import type { AdsSettings } from './settings.ts'

/** Campaigns, and the ad events that apps report. */
export function adsDomain({ db, clock }: Platform, { ad_repeats: repeats }: AdsSettings): Domain {
  const deps = {
    db,
    clock,
    repeats,
    random: Math.random,
    draws: openAdDraws(db, clock),
    events: openAdEvents(db, clock),
  }
  return { mount: (http) => adsRoutes(http, deps), drain: () => deps.events.drain() }
}
