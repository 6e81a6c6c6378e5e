import { createHash } from 'node:crypto'

/** The content codings of responses. */
export type Coding = 'br' | 'gzip' | undefined

/** The entity tag of a content without its quotes. */
export const tagOf = (content: Buffer | string) => createHash('sha256').update(content).digest('base64url').slice(0, 22)

/** The entity tag of a content in a coding: each coding is a separate representation (RFC 9110 §8.8.3.3, D-127). */
export const codedTag = (tag: string, coding: Coding) => `"${coding === undefined ? tag : `${tag}-${coding}`}"`

/** True if an `If-None-Match` names this tag, by weak comparison (RFC 9110 §13.1.2). */
export function isNamed(tag: string, if_none_match: string | undefined) {
  if (if_none_match === undefined) return false
  if (if_none_match.trim() === '*') return true
  const named: string[] = if_none_match.match(/"[^"]*"/g) ?? []
  return named.includes(tag)
}
