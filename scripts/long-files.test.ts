import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../server/platform/package.ts'
import { long_files } from './long-files.ts'

test('the listed long test files exist', () => {
  expect(long_files.filter((file) => !existsSync(join(package_root, file)))).toEqual([])
})
