import type { Sql, Tx } from '../platform/postgres/database.ts'
import { listLimits, listUses, writeLimit } from './spending-limits.store.ts'

/** The limits that a person has set, by app (D-100). */
export async function findDailyLimits(db: Sql, user_id: string): Promise<Map<string, number>> {
  return new Map((await listLimits(db, user_id)).map(({ app_id, daily_limit }) => [app_id, daily_limit]))
}

/** The points that count towards a person's limits, by app (D-100). */
export async function findUsedLimits(db: Sql, user_id: string, now: Date): Promise<Map<string, number>> {
  const limits = await listLimits(db, user_id)
  if (limits.length === 0) return new Map()
  const uses = new Map((await listUses(db, user_id, now)).map(({ app_id, used }) => [app_id, used]))
  return new Map(limits.map(({ app_id }) => [app_id, uses.get(app_id) ?? 0]))
}

/** Sets how many of a person's points an app may spend in 24 hours, from the next order on; null removes the limit (D-100). */
export const setDailyLimit = (tx: Tx, limit: { user_id: string; app_id: string; daily_limit: number | null }) =>
  writeLimit(tx, limit)
