import { create } from 'qrcode'
import { useMemo } from 'react'

/** In modules. */
const quiet_zone = 4

/** A text as a QR code, dark on white in both colour schemes, because many scanners read nothing else. */
export default function QrCode({ text, label, size = 208 }: { text: string; label: string; size?: number }) {
  const { side, path } = useMemo(() => draw(text), [text])
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} rx={1.5} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function draw(text: string) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const all = Array.from({ length: modules.size }, (_, at) => at)
  const squares = all.flatMap((row) =>
    all
      .filter((column) => modules.get(row, column))
      .map((column) => `M${column + quiet_zone} ${row + quiet_zone}h1v1h-1z`),
  )
  return { side: modules.size + 2 * quiet_zone, path: squares.join('') }
}
