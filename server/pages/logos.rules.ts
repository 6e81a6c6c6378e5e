/**
 * The media type of a supported image, by its first bytes instead of its Content-Type; undefined for anything else. An SVG
 * with an internal DTD subset is not supported: its entities can expand without bound.
 */
export function pictureType(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16)
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(head)) return 'image/gif'
  if (/^RIFF[^]{4}WEBP/.test(head)) return 'image/webp'
  if (isAvif(bytes)) return 'image/avif'
  return /^<svg[\s>]/.test(withoutProlog(bytes.toString('utf8', 0, 2_048))) ? 'image/svg+xml' : undefined
}

/** ISO base media: a first box `ftyp` with an AVIF brand as its major or a compatible one. */
function isAvif(bytes: Buffer) {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false
  const brands = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 128))
  return (brands.match(/[^]{4}/g) ?? []).some((brand) => brand === 'avif' || brand === 'avis')
}

function withoutProlog(text: string): string {
  let rest = text
  for (;;) {
    const [piece] = /^(?:[\s\uFEFF]+|<\?xml[^>]*\?>|<!--[^]*?-->|<!DOCTYPE svg[^>[]*>)/i.exec(rest) ?? []
    if (piece === undefined) return rest
    rest = rest.slice(piece.length)
  }
}
