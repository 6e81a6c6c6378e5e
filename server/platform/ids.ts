import { v7 } from 'uuid'

/** A new UUIDv7: sorts by creation time (D-07). */
export const newId = (): string => v7()

/** A new UUIDv7 of this time. */
export const newIdAt = (time: Date): string => v7({ msecs: time.getTime() })

/** An id above this one: a new one, or where that would be lower, since another process has another clock, one of a millisecond later. */
export function newIdAbove(id: string): string {
  const next = newId()
  return next > id ? next : newIdAt(new Date(timeOf(id) + 1))
}

/** When a UUIDv7 was made, in milliseconds. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The lowest id that is made at this time or later; for one before 1970 the lowest of all. */
export function firstId(time: Date) {
  const hex = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export { isId } from '../../contract/schema.ts'

/** An id in the spelling that PostgreSQL returns, in which ids are compared, cached and revoked. */
export const canonicalId = (id: string) => id.toLowerCase()
