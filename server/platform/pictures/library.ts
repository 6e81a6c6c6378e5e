import { join } from 'node:path'
import { code_root } from '../package.ts'
import { once } from '../once.ts'

/** The image library, loaded for the first picture: most processes never need it. */
export const imageLibrary = once(async () => {
  process.env.FONTCONFIG_FILE = join(code_root, 'server/platform/pictures/fonts.conf')
  const { default: sharp } = await import('sharp')
  // The calls for one picture already share its decoded pixels. A cache of operations would only grow.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
})
