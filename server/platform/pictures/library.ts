import { join } from 'node:path'
import { code_root } from '../package.ts'
import { once } from '../once.ts'

/** The image library, loaded with the first picture: most processes make none. */
export const imageLibrary = once(async () => {
  process.env.FONTCONFIG_FILE = join(code_root, 'server/platform/pictures/fonts.conf')
  const { default: sharp } = await import('sharp')
  // The calls of one picture share its decoded pixels by themselves; a cache of operations only grows.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
})
