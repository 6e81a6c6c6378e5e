import type { LookPart } from '../../contract/kinds/reports.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { invalidField } from '../platform/failure.ts'
import { sqlState, type Tx } from '../platform/postgres/database.ts'
import { isTimeZone } from '../platform/time-zone.ts'
import { newId } from '../platform/ids.ts'
import { readPicture } from './pictures.service.ts'
import { deletePicture, putPicture, setPictureUrl } from './pictures.store.ts'
import { getProfile, type AccountsDeps } from './service.ts'
import { requireSession } from './sessions.service.ts'
import { changeProfile, clearDisplayName, type ProfileChange } from './store.ts'

/**
 * Sets the display name and the time zone of the caller; absent fields stay (D-165). Fails with `validation_failed` for
 * an unknown time zone or a name that imitates staff or contains a bad word, or with `muted`.
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
    // A time zone that Node knows but this version of PostgreSQL does not.
    throw sqlState(error) === '22023' ? invalidField('time_zone', 'time_zone') : error
  }
  return getProfile(deps, user_id)
}

/** PostgreSQL reads a name without a slash as an abbreviation first: its CET has no summer time. */
const isZoneOfDays = (name: string) => (name === 'UTC' || name.includes('/')) && isTimeZone(name)

/**
 * Sets the picture of the caller, from base64 (D-165). Fails with `validation_failed` unless it is a picture within the
 * limits, or with `muted`.
 */
export async function setPicture(deps: AccountsDeps, caller: UserCaller, picture: string) {
  const { user_id } = caller
  const content = await readPicture(picture, 'cover')
  await deps.db.transaction(async (tx) => {
    const [id, now] = [newId(), deps.clock()]
    await setPictureUrl(tx, user_id, `/pictures/${id}`)
    await putPicture(tx, { id, owner_id: user_id, content, now })
    await deps.events.renamed(tx, { user_id, now })
    await requireSession(deps, tx, caller)
  })
  return getProfile(deps, user_id)
}

/** Removes a person's display name or picture, in an admin's transaction; returns whether there was one. */
export const removeFromLook: Record<LookPart, (tx: Tx, user_id: string) => Promise<boolean>> = {
  display_name: clearDisplayName,
  picture: deletePicture,
}

export async function removePicture(deps: AccountsDeps, caller: UserCaller) {
  await deps.db.transaction((tx) => deletePicture(tx, caller.user_id))
  return getProfile(deps, caller.user_id)
}
