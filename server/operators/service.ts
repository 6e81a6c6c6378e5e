import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { page_default, page_size_default } from '../../contract/operators.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { getAppOfOwner, listPublicApps, totalUsers, updateMyApp } from '../oauth/apps.service.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import { activityWindow } from './rules.ts'
import { countActivity, noteActivity, sumActivity } from './store.ts'

export interface OperatorsDeps {
  db: Database
  clock: Clock
  oauth: OAuthDeps
}

/**
 * Counts of the token's own app: users ever connected, and spends and awards of the last days (D-49). Any user's token
 * with the scope will do: the numbers name nobody and change nothing. Read on a connection of its own: no short
 * statement shall queue behind these.
 */
export function getAnalytics({ db, clock }: OperatorsDeps, { app_id }: AppCaller, days?: number) {
  const window_days = days ?? decisions['D-49'].value.window_days
  return db.transaction(async (tx) => {
    const total_users = await totalUsers(tx, app_id)
    const activity = await sumActivity(tx, app_id, activityWindow(clock(), window_days))
    return { total_users, ...activity, window_days }
  })
}

/** The token's app as its owner sees it (D-33). Fails with `not_app_owner`. */
export async function getOperatorApp({ db, oauth }: OperatorsDeps, caller: AppCaller) {
  const app = await getAppOfOwner(oauth, caller)
  return { ...app, total_users: await totalUsers(db, app.id) }
}

export interface OperatorAppUpdate {
  app_name?: string
  app_description?: string | null
  redirect_uris?: string[]
  website_url?: string | null
}

/**
 * Changes the token's app, by the rules by which its owner changes it elsewhere, but only these fields (D-33).
 * Fails with `not_app_owner`, or `validation_failed` for a redirect URI or link that cannot be.
 */
export async function updateOperatorApp(
  { oauth }: OperatorsDeps,
  caller: AppCaller,
  { app_name, app_description, redirect_uris, website_url }: OperatorAppUpdate,
) {
  const { id, owner_id } = await getAppOfOwner(oauth, caller)
  return updateMyApp(oauth, owner_id, id, {
    ...(app_name !== undefined && { app_name }),
    ...(app_description !== undefined && { app_description }),
    ...(redirect_uris !== undefined && { redirect_uris }),
    ...(website_url !== undefined && { website_url }),
  })
}

/** A page of the public directory. A page past the end is empty and still tells the total. */
export async function listOperators({ oauth }: OperatorsDeps, query: { page?: number; page_size?: number }) {
  const { page = page_default, page_size = page_size_default } = query
  return { ...(await listPublicApps(oauth, { page, page_size })), page, page_size }
}

/** Transfers counted in one transaction, and how many such transactions one run of the job makes at most. */
const counted_at_once = 50_000
const counts_max = 200

/**
 * Adds new transfers to the counts that analytics read. Bounded, and safe to run twice and in several processes at once;
 * whatever it has not counted yet, analytics count for themselves.
 */
export async function countNewActivity({ db }: { db: Database }) {
  await countWhatIsNoted(db)
  await db.transaction(noteActivity)
  await countWhatIsNoted(db)
}

async function countWhatIsNoted(db: Database) {
  for (let turn = 0; turn < counts_max; turn++) {
    const counted = await db.transaction((tx) => countActivity(tx, counted_at_once))
    if (counted < counted_at_once) return
  }
}
