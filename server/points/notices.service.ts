import type { NoticeEvent } from '../../contract/kinds/notices.ts'
import { notify, type NewNotice } from '../notices/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import {
  findLastSeq,
  lockPointsProgress,
  setPointsBound,
  setPointsProgress,
  sumArrivedPoints,
  type ArrivedPoints,
} from './notices.store.ts'

/** Movements per read. Nearly all are spends, which are skipped. */
const range_max = 2_000
const rounds_max = 400
/** Maximum notices of a run, so that it does not slow down the ledger. */
const written_max = 2_000

/**
 * Turns awards, transfers, refunds, payouts and rewards for referrals since the last run into notices. The ledger writes nothing extra: movements are read by
 * number, up to one below which no transaction is open. Bounded; one process at a time.
 */
export async function gatherPointNotices({ db, clock }: { db: Database; clock: Clock }) {
  let written = 0
  for (let round = 0; round < rounds_max && written < written_max; round++) {
    const last = await findLastSeq(db)
    const more = await db.transaction((tx) => gatherRound(tx, last, clock()))
    if (more === undefined) return
    written += more
  }
}

/** The number of notices written; undefined if no more can be read now. */
async function gatherRound(tx: Tx, last: number, now: Date) {
  const progress = await lockPointsProgress(tx)
  if (!progress) return undefined
  const { seq, next_seq, is_over } = progress
  if (next_seq === null) {
    if (last <= seq) return undefined
    await setPointsBound(tx, last)
    return 0
  }
  if (!is_over) return undefined
  const upto = Math.min(next_seq, seq + range_max)
  const arrived = await sumArrivedPoints(tx, { after: seq, upto })
  await notify(tx, arrived.map(noticeOf), { now, adds: true })
  await setPointsProgress(tx, upto)
  return arrived.length
}

const events = {
  award: 'points_awarded',
  transfer: 'points_transferred',
  direct: 'points_transferred',
  refund: 'points_refunded',
  payout: 'points_paid_out',
  referral: 'points_referred',
} as const satisfies Record<ArrivedPoints['kind'], NoticeEvent>

function noticeOf({ user_id, kind, app_id, from_user_id, count, amount }: ArrivedPoints): NewNotice {
  const about = `${events[kind]}:${from_user_id ?? app_id ?? ''}`
  return {
    user_id,
    event: events[kind],
    about,
    count,
    amount,
    ...(from_user_id !== null && { subject_id: from_user_id }),
    ...(app_id !== null && { app_id }),
  }
}
