import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { page_default, page_size_default } from '../../contract/operators.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { errorsInAppFields, getApp, listPublicApps, totalUsers, updateAppByToken } from '../oauth/apps.service.ts'
import type { Reads } from '../platform/postgres/reads.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import { activityWindow } from './rules.ts'
import { countActivity, recordLedgerPosition, sumActivity } from './store.ts'

export interface OperatorsDeps {
  db: Database
  clock: Clock
  oauth: OAuthDeps
  reads: Reads
}

/**
 * Counts of an app: users ever connected, and spends and awards of the last days (D-49). Accepts a token of any user
 * with the scope. Runs in a transaction, and so on its own connection: short statements must not queue behind these
 * queries.
 */
export function getAnalytics({ db, clock }: OperatorsDeps, app_id: string, days?: number) {
  const window_days = days ?? decisions.operator_analytics.window_days
  return db.transaction(async (tx) => {
    const total_users = await totalUsers(tx, app_id)
    const activity = await sumActivity(tx, app_id, activityWindow(clock(), window_days))
    return { total_users, ...activity, window_days }
  })
}

/** The token's app with all fields of the owner's view (D-33). */
export async function getOperatorApp({ db, oauth }: OperatorsDeps, { app_id }: AppCaller) {
  const app = await getApp(oauth, app_id)
  return { ...app, total_users: await totalUsers(db, app.id) }
}

export interface OperatorAppUpdate {
  app_name?: string
  app_description?: string | null
  redirect_uris?: string[]
  website_url?: string | null
}

/** Field errors of an update by the rules of apps. Accepts a body of any shape; `logo_url` is not one of its fields. */
export const operatorAppErrors = (body: unknown) => errorsInAppFields(body).filter(({ path }) => path !== 'logo_url')

/**
 * Updates these fields of the token's app, by the same rules as my-apps (D-33). Fails with `validation_failed`
 * for an invalid redirect URI or link.
 */
export function updateOperatorApp(
  { oauth }: OperatorsDeps,
  caller: AppCaller,
  { app_name, app_description, redirect_uris, website_url }: OperatorAppUpdate,
) {
  return updateAppByToken(oauth, caller, {
    ...(app_name !== undefined && { app_name }),
    ...(app_description !== undefined && { app_description }),
    ...(redirect_uris !== undefined && { redirect_uris }),
    ...(website_url !== undefined && { website_url }),
  })
}

/** A page of the public directory, which may be a few seconds old (REPLICA_LAG_MAX). A page past the end is empty, with the total. */
export async function listOperators({ reads }: OperatorsDeps, query: { page?: number; page_size?: number }) {
  const { page = page_default, page_size = page_size_default } = query
  const found = await reads.read((db) => listPublicApps({ db }, { page, page_size }))
  return { ...found, page, page_size }
}

/** Transfers counted per transaction, and transactions per run of the job. */
const batch_size = 50_000
const batches_max = 200

/**
 * Adds new transfers to the counts that analytics read. Bounded, and safe to run concurrently. Analytics count the
 * remaining transfers from the ledger.
 */
export async function countNewActivity({ db }: { db: Database }) {
  await countRecorded(db)
  await db.transaction(recordLedgerPosition)
  await countRecorded(db)
}

async function countRecorded(db: Database) {
  for (let turn = 0; turn < batches_max; turn++) {
    const counted = await db.transaction((tx) => countActivity(tx, batch_size))
    if (counted < batch_size) return
  }
}
