import { decisions } from '../../contract/decisions.ts'
import { invalidField } from '../platform/failure.ts'
import { squarePicture, type Fit } from '../platform/pictures/square.ts'

const { picture_bytes_max, picture_side_max: side_max, side } = decisions.profiles

/** The content to keep of a picture in base64 (D-165). Fails with `validation_failed` for anything but a picture within the bounds. */
export async function readPicture(picture: string, fit: Fit) {
  const sent = Buffer.from(picture, 'base64')
  const content = sent.length <= picture_bytes_max ? await squarePicture(sent, { side, side_max, fit }) : undefined
  if (!content) throw invalidField('picture', ['picture', { side_max }])
  return content
}

export { findPicture, findPictureOf, putPicture } from './pictures.store.ts'
