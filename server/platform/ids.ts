import { v7, validate } from 'uuid'

/** A new UUIDv7: sorts by creation time (D-07). */
export const newId = (): string => v7()

/** Whether the text is a UUID. */
export const isId = (text: string) => validate(text)

/** An id in the spelling that PostgreSQL returns, in which ids are compared, cached and revoked. */
export const canonicalId = (id: string) => id.toLowerCase()
