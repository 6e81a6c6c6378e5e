import type { AccountEvents } from '../accounts/service.ts'
import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { openBalances, openTotals } from './balances.service.ts'
import { holdRoutes } from './holds.routes.ts'
import { openHolds } from './holds.service.ts'
import { openUserAccount } from './issuing.service.ts'
import { pointsJobs } from './jobs.ts'
import { openLedger } from './ledger.service.ts'
import { findInvitation, giveReward, payWaitingRewards } from './rewards.service.ts'
import { openPayouts } from './payouts.service.ts'
import { pointsRoutes } from './routes.ts'
import { sendingRoutes } from './sending.routes.ts'
import type { SendingDeps } from './sending.service.ts'
import type { PointsSettings } from './settings.ts'
import { statementRoutes } from './statements.routes.ts'
import { pointStreamRoutes, type StandingOf } from './streams.routes.ts'
import { openPointStreams } from './streams.service.ts'

/** The prefix of the notifications of `record_point_moves`; a person's id follows it. */
const notified_prefix = 'points '

interface PointsParts extends Pick<SendingDeps, 'people' | 'requireProof'> {
  standingOf: StandingOf
}

/** Points: balances, spends, holds, refunds, statements and streams. Later domains supply `parts`, before the endpoints are mounted. */
export function pointsDomain(
  { db, clock, log, reads, invalidations }: Platform,
  settings: PointsSettings & { events_heartbeat_seconds: number },
  parts: () => PointsParts,
) {
  const ledger = openLedger(db, clock)
  const deps = {
    db,
    clock,
    ledger,
    balances: openBalances(db),
    reads,
    totals: openTotals(db),
    holds: openHolds(db),
    bounds: settings,
    payouts: openPayouts(db, clock, ledger),
    agent_daily_limit: settings.agent_daily_limit,
  }
  const streams = openPointStreams({
    db,
    clock,
    log,
    heartbeat_seconds: settings.events_heartbeat_seconds,
    invalidationVersion: invalidations.version,
  })
  return {
    deps,
    account_events: giftsOf(settings),
    findInvitation: (code: string) => findInvitation(db, settings, code),
    mount(http: Http) {
      const { people, standingOf, requireProof } = parts()
      pointsRoutes(http, { ...deps, people, gifts: settings })
      sendingRoutes(http, { db, clock, people, settings, requireProof })
      holdRoutes(http, deps)
      statementRoutes(http, deps)
      pointStreamRoutes(http, streams, standingOf)
    },
    jobs: pointsJobs(deps),
    notified(payload: string | undefined) {
      if (payload === undefined) streams.wake()
      else if (payload.startsWith(notified_prefix)) streams.wake(payload.slice(notified_prefix.length))
    },
    drain: () => Promise.all([deps.ledger.drain(), deps.payouts.drain()]),
    streams: () => streams.streams(),
  }
}

/** Handles account events: opens the account of a new person and gives the rewards for registration and referral. */
const giftsOf = ({ rewards, signup_points, referral_points }: PointsSettings): Partial<AccountEvents> => ({
  registered: async (tx, { user_id, now }) => {
    await openUserAccount(tx, user_id)
    await giveReward(tx, now, rewards, { user_id, kind: 'signup', amount: signup_points })
  },
  email_verified: async (tx, { user, referrer, now }) => {
    await payWaitingRewards(tx, now, user.id)
    if (!referrer) return
    const amount = referral_points * referrer.signup_multiplier
    await giveReward(tx, now, rewards, { user_id: referrer.id, kind: 'referral', amount })
  },
})
