import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../../server/platform/package.ts'
import { buildConsole } from '../../server/test/build.ts'

test('the page of components is not in the built console', async () => {
  await buildConsole()
  const folder = join(package_root, 'dist/web')
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(scripts.length).toBeGreaterThan(5)
  expect(scripts.filter((text) => text.includes('/dev/components') || text.includes('The parts of web/ui'))).toEqual([])
})
