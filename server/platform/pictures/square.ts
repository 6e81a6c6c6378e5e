import { Failure } from '../failure.ts'
import { openTurns } from '../in-turn.ts'
import { imageLibrary } from './library.ts'

/** The file formats by their first bytes; the library reads more, such as SVG. */
const formats = /^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff|RIFF[^]{4}WEBP)/

/** `cover` keeps the middle of a picture, `contain` all of it on a transparent ground. */
export type Fit = 'cover' | 'contain'

/** The work takes one processor and the memory of one picture. */
const inTurn = openTurns(8)

/**
 * A PNG, JPEG or WebP picture as a square WebP of `side` pixels without metadata; undefined for anything else, and for a picture with a
 * side above `side_max`, which its header says: a small file may decode to gigabytes. Fails with `overloaded`.
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
    // A file that the library cannot decode is no picture.
    return undefined
  })
}
