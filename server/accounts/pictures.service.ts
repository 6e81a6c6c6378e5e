import { decisions } from '../../contract/decisions.ts'
import { invalidField } from '../platform/failure.ts'
import { squarePicture, type Fit } from '../platform/pictures/square.ts'

const { picture_bytes_max, picture_side_max: side_max, side } = decisions.profiles

/**
 * Decodes a picture in base64 and returns the content to store (D-165). Fails with `validation_failed` unless it is a
 * picture within the limits.
 */
export async function readPicture(picture: string, fit: Fit) {
  const sent = Buffer.from(picture, 'base64')
  const content = sent.length <= picture_bytes_max ? await squarePicture(sent, { side, side_max, fit }) : undefined
  if (!content) throw invalidField('picture', ['picture', { side_max }])
  return content
}

export { findPicture, findPictureOf, putPicture } from './pictures.store.ts'
