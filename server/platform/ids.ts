import { v7, validate } from 'uuid'

/** A fresh UUIDv7: sorts by the time it was made (D-07). */
export const newId = (): string => v7()

/** Could this be an id? */
export const isId = (text: string) => validate(text)

/** An id in the one spelling in which PostgreSQL writes it, and by which ids are compared, cached and revoked. */
export const canonicalId = (id: string) => id.toLowerCase()
