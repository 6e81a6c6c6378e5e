import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../server/platform/package.ts'
import { readSources } from './layers.ts'
import { printLogLines } from './print-log-lines.ts'

test('the inventory has every message that the service logs, and each log with its place, readers and retention', async () => {
  const lines = await printLogLines()
  const sources = [...(await readSources())].filter(([path]) => /^server\/(?!test\/).*(?<!\.test)\.ts$/.test(path))
  // The simple calls, found in another way.
  const messages = sources.flatMap(([, text]) =>
    [...text.matchAll(/\blog\.(?:debug|info|warn|error)\([^()'`]*, '([^']+)'\)/g)].map(([, message = '']) => message),
  )
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter((message) => !lines.includes(`| ${message} |`))).toEqual([])
  expect(lines).toContain('| a container host is unreachable: … | hosting |')
  const logs = readFileSync(join(package_root, 'docs/operating/logs.md'), 'utf8')
  const [, inventory = ''] = logs.split('\n## All logs\n')
  for (const log of [
    'of the service',
    'of the embedded PostgreSQL',
    'audit log',
    'of a team',
    'of a deployment',
    'output of containers',
  ])
    expect(inventory).toMatch(new RegExp(String.raw`^\| ${log} \|(?: [^|]+ \|){3}$`, 'm'))
})
