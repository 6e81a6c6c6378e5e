/** The encodings that a client takes (RFC 9110 §12.5.3), of the two that are sent. */
export function acceptedEncodings(header: string | undefined): { br: boolean; gzip: boolean } {
  if (header === undefined) return { br: false, gzip: false }
  const names = header
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(';'))
    .filter(([, quality]) => !/^\s*q=0(?:\.0*)?\s*$/.test(quality ?? ''))
    .map(([name]) => name?.trim())
  return { br: names.includes('br'), gzip: names.includes('gzip') }
}
