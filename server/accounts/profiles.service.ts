import type { UserCaller } from '../../contract/caller.ts'
import { invalidField } from '../platform/failure.ts'
import { sqlState } from '../platform/postgres/database.ts'
import { isTimeZone } from '../platform/time-zone.ts'
import { getProfile, requireSession, type AccountsDeps } from './service.ts'
import { changeProfile, type ProfileChange } from './store.ts'

/**
 * Sets the display name and the time zone of the caller; a field that is left out stays (D-165). Fails with `validation_failed` for an
 * unknown time zone and for a name that passes for staff or holds a bad word, or with `muted`.
 */
export async function updateProfile(deps: AccountsDeps, caller: UserCaller, change: ProfileChange) {
  const { user_id } = caller
  const { display_name, time_zone } = change
  if (time_zone && !isZoneOfDays(time_zone)) throw invalidField('time_zone', 'time_zone')
  if (display_name && deps.isStaffName(display_name)) throw invalidField('display_name', 'name_refused')
  try {
    await deps.db.transaction(async (tx) => {
      await changeProfile(tx, user_id, change)
      if (display_name) await deps.events.display_named(tx, { user_id, display_name, now: deps.clock() })
      await requireSession(deps, tx, caller)
    })
  } catch (error) {
    // A time zone that Node knows and this version of PostgreSQL does not.
    throw sqlState(error) === '22023' ? invalidField('time_zone', 'time_zone') : error
  }
  return getProfile(deps, user_id)
}

/** PostgreSQL reads a name without a slash as an abbreviation first: its CET has no summer time. */
const isZoneOfDays = (name: string) => (name === 'UTC' || name.includes('/')) && isTimeZone(name)
