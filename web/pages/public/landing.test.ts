import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../../../server/platform/package.ts'
import { spend_sample } from './landing-sample.ts'

test('the sample on the first page is that of the guide, which a test runs', () => {
  const guide = readFileSync(join(package_root, 'docs/spending.md'), 'utf8')
  const [, sample] = /```js id=spend-node\n([^]*?)\n```/.exec(guide) ?? []
  expect(spend_sample).toBe(sample)
})
