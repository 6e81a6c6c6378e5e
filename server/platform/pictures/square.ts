import { Failure } from '../failure.ts'
import { openTurns } from '../in-turn.ts'
import { imageLibrary } from './library.ts'

/** Accepted formats, by their first bytes. The library reads more, such as SVG. */
const formats = /^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff|RIFF[^]{4}WEBP)/

/** `cover` keeps the middle of a picture, `contain` shows all of it on a transparent background. */
export type Fit = 'cover' | 'contain'

/** Limits the work to one processor and the memory of one picture. */
const inTurn = openTurns(8)

/**
 * Converts a PNG, JPEG or WebP picture to a square WebP of `side` pixels without metadata. Undefined for other data, and for a picture
 * whose header declares a side above `side_max`: a small file may decode to gigabytes. Fails with `overloaded`.
 */
export async function squarePicture(
  sent: Buffer,
  { side, side_max, fit }: { side: number; side_max: number; fit: Fit },
) {
  if (!formats.test(sent.toString('latin1', 0, 16))) return undefined
  return inTurn(async () => {
    const sharp = await imageLibrary()
    const { width, height } = await sharp(sent).metadata()
    if (width > side_max || height > side_max) return undefined
    return sharp(sent, { limitInputPixels: side_max * side_max })
      .autoOrient()
      .resize(side, side, { fit, background: '#fff0' })
      .webp({ quality: 82 })
      .toBuffer()
  }).catch((error: unknown) => {
    if (error instanceof Failure) throw error
    // A file that the library cannot decode is not a picture.
    return undefined
  })
}
