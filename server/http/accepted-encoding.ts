import type { Coding } from './entity-tags.ts'

/** The smallest available coding that the client accepts. */
export function preferredCoding(header: string | undefined, available: { br: boolean; gzip: boolean }): Coding {
  const accepted = acceptedEncodings(header)
  if (available.br && accepted.br) return 'br'
  return available.gzip && accepted.gzip ? 'gzip' : undefined
}

/** The codings that a client accepts (RFC 9110 §12.5.3), of the two supported ones. */
function acceptedEncodings(header: string | undefined): { br: boolean; gzip: boolean } {
  if (header === undefined) return { br: false, gzip: false }
  const names = header
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(';'))
    .filter(([, quality]) => !/^\s*q=0(?:\.0*)?\s*$/.test(quality ?? ''))
    .map(([name]) => name?.trim())
  return { br: names.includes('br'), gzip: names.includes('gzip') }
}
