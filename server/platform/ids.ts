import { v7 } from 'uuid'

/** A new UUIDv7: sorts by creation time (D-07). */
export const newId = (): string => v7()

/** A new UUIDv7 of this time. */
export const newIdAt = (time: Date): string => v7({ msecs: time.getTime() })

/** An id greater than this one: a new one or, if that is smaller because another process's clock is ahead, one of the next millisecond. */
export function newIdAbove(id: string): string {
  const next = newId()
  return next > id ? next : newIdAt(new Date(timeOf(id) + 1))
}

/** The creation time of a UUIDv7, in milliseconds. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The smallest id created at this time or later; for a time before 1970, the smallest of all. */
export function firstId(time: Date) {
  const hex = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export { isId } from '../../contract/schema.ts'

/** An id as PostgreSQL returns it. Ids are compared, cached and revoked in this form. */
export const canonicalId = (id: string) => id.toLowerCase()
