import { decisions } from '../../contract/decisions.ts'
import { purgeEmailChanges, purgeUndos } from '../accounts/changes.store.ts'
import { purgeMailedCodes } from '../accounts/mailed-codes.store.ts'
import { purgeResetCodes } from '../accounts/reset-codes.store.ts'
import { logins_kept_seconds } from '../accounts/service.ts'
import { purgeSessions } from '../accounts/sessions.store.ts'
import { purgeReservedNames } from '../accounts/usernames.store.ts'
import { purgeAccessTokens } from '../oauth/access-tokens.store.ts'
import { purgeSessionTokens } from '../oauth/app-sessions.store.ts'
import { purgeOpenidCodes, purgeUnusedCodes } from '../oauth/authorization-codes.store.ts'
import { purgeGrants } from '../oauth/grants.store.ts'
import { grants_kept_seconds } from '../oauth/purge.service.ts'
import { wipeSuccessors } from '../oauth/refresh-tokens.store.ts'
import { secondsAfter } from '../platform/clock.ts'
import { failed_jobs_seconds, purgeFailedJobs } from '../platform/failed-jobs.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { purgeExpiredCounts } from '../platform/rate-limit.ts'
import { purgeChanges } from '../points/changes.store.ts'
import { purgeEvents } from '../social/events/store.ts'
import { purgeOldDeliveries } from '../webhooks/deliveries.store.ts'
import { purgeOldEvents } from '../webhooks/events.store.ts'
import { purgeRequestKeys } from '../webhooks/request-keys.store.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

const rows_max = 1_000

interface Rule {
  what: string
  /** How long a row is kept after it has ended or expired; 0 by default. */
  kept_seconds?: number
  /** Runs the job; returns the number of deleted rows. */
  purge(tx: Tx, bounds: { before: Date; rows_max: number }): Promise<number>
}

const { replay_seconds } = decisions.token_refresh
const of_grants = { kept_seconds: grants_kept_seconds }
const of_webhooks = { kept_seconds: decisions.webhooks.kept_days * 86_400 }

/** By the interval of their job. */
const rules: Record<string, readonly Rule[]> = {
  minute: [{ what: 'successors of refresh tokens', kept_seconds: replay_seconds, purge: wipeSuccessors }],
  '5 minutes': [
    { what: 'events of the event stream', kept_seconds: decisions.event_streams.kept_seconds, purge: purgeEvents },
    { what: 'counts of rate limits', purge: (tx, { before, rows_max: most }) => purgeExpiredCounts(tx, before, most) },
  ],
  '10 minutes': [
    { what: 'authorization codes that were not used', ...of_grants, purge: purgeUnusedCodes },
    { what: 'what identity tokens say of codes that were not used', ...of_grants, purge: purgeOpenidCodes },
    { what: 'access tokens', ...of_grants, purge: purgeAccessTokens },
    { what: 'session tokens', purge: purgeSessionTokens },
    { what: 'grants with their codes, refresh tokens and sessions', ...of_grants, purge: purgeGrants },
    { what: 'deliveries of webhooks', ...of_webhooks, purge: purgeOldDeliveries },
    { what: 'events of apps', ...of_webhooks, purge: purgeOldEvents },
    { what: 'keys of calls about webhooks', ...of_webhooks, purge: purgeRequestKeys },
  ],
  hour: [
    { what: 'login sessions', kept_seconds: logins_kept_seconds, purge: purgeSessions },
    { what: 'mailed codes', purge: purgeMailedCodes },
    { what: 'codes that set a new password', purge: purgeResetCodes },
    { what: 'changes of address that wait for a code', purge: purgeEmailChanges },
    { what: 'changes that their owner could take back', purge: purgeUndos },
    { what: 'reservations of names', purge: purgeReservedNames },
    {
      what: 'changes of points that apps follow',
      kept_seconds: decisions.point_streams.kept_seconds,
      purge: purgeChanges,
    },
    {
      what: 'failed jobs',
      kept_seconds: failed_jobs_seconds,
      purge: (tx, { before, rows_max: most }) => purgeFailedJobs(tx, before, most),
    },
  ],
}

const kept_for_ever =
  'Transfers, idempotency keys, messages and the audit log are kept; texts of people who left are erased (D-106).'

/** `retention`: shows which rows are deleted, how long after their end, and how many are due now. */
export const retention = defineCommand({
  options: { json: { summary: 'prints one JSON object' } },
  summary: 'shows which rows are deleted after which time, and how many are due now',
  help: [
    'It deletes nothing: a worker does, every so often. The counts come from the statements of the jobs, which are rolled back; a\n' +
      `count of ${rows_max} means that many or more. If it stays there, no worker runs.`,
  ],
  run: (invocation) =>
    withDatabase(invocation, async ({ db, clock }) => {
      const now = clock()
      const counted: { what: string; kept_seconds: number; every: string; due: number }[] = []
      for (const [every, of_interval] of Object.entries(rules))
        for (const { what, kept_seconds = 0, purge } of of_interval) {
          const before = secondsAfter(now, -kept_seconds)
          counted.push({
            what,
            kept_seconds,
            every,
            due: await rolledBack(db, (tx) => purge(tx, { before, rows_max })),
          })
        }
      if (invocation.options.json) invocation.print(JSON.stringify({ rules: counted }))
      else {
        for (const { what, kept_seconds, every, due } of counted)
          invocation.print(
            `${what}: kept ${durationText(kept_seconds)}, deleted every ${every}; due now: ${due}${due === rows_max ? ' or more' : ''}`,
          )
        invocation.print(kept_for_ever)
      }
      return exit_codes.done
    }),
})

class RolledBack extends Error {}

/** Returns the result of a statement and rolls it back. */
async function rolledBack(db: Database, run: (tx: Tx) => Promise<number>): Promise<number> {
  let answer = 0
  await db
    .transaction(async (tx) => {
      answer = await run(tx)
      throw new RolledBack()
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return answer
}

function durationText(seconds: number) {
  if (seconds === 0) return 'until they expire'
  if (seconds < 3_600) return `${seconds} s longer`
  return seconds < 86_400 * 2
    ? `${Math.round(seconds / 3_600)} hours longer`
    : `${Math.round(seconds / 86_400)} days longer`
}
