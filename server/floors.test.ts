import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from './kit/package.ts'
import { floorFaults, importsOf, placeOf } from './test/floors.ts'

async function projectSources(): Promise<Map<string, string>> {
  const folders = await Promise.all(
    ['contract', 'client', 'server'].map(async (root) => {
      const names = await readdir(join(package_root, root), { recursive: true })
      return names.filter((name) => name.endsWith('.ts')).map((name) => `${root}/${name}`)
    }),
  )
  const paths = folders.flat().sort()
  const read = async (path: string): Promise<[string, string]> => [
    path,
    await readFile(join(package_root, path), 'utf8'),
  ]
  return new Map(await Promise.all(paths.map(read)))
}

/** The faults of one file with one import. */
const faultsOf = (path: string, target: string) => floorFaults(new Map([[path, `import { it } from '${target}'\n`]]))

test('imports run downward only, and between domains through services, leftwards', async () => {
  const sources = await projectSources()
  expect(sources.size).toBeGreaterThan(80)
  expect(floorFaults(sources)).toEqual([])
})

test('files stand on the floor that their name tells', () => {
  const floors = {
    'contract/points.ts': 0,
    'server/kit/database.ts': 1,
    'server/points/rules.ts': 2,
    'server/points/store.ts': 3,
    'server/oauth/token.store.ts': 3,
    'server/deployments/engine/docker.ts': 3,
    'server/points/service.ts': 4,
    'server/oauth/token.service.ts': 4,
    'server/http/mount.ts': 5,
    'server/jobs/runner.ts': 5,
    'server/points/routes.ts': 6,
    'server/accounts/jobs.ts': 6,
    'server/app.ts': 7,
    'server/service.ts': 7,
    'server/points/helpers.ts': undefined,
  }
  for (const [path, floor] of Object.entries(floors)) expect([path, placeOf(path)?.floor]).toEqual([path, floor])
})

test('imports are found however they are written', () => {
  const source = `import a from 'a'
import type { B } from './b.ts'
import {
  c,
  d,
} from '../c.ts'
import './e.ts'
export { f } from './f.ts'
export const g = 'nothing comes from here'
type H = import('node:net').Socket
const i = await import('./i.ts')
`
  expect(importsOf(source)).toEqual(['a', './b.ts', '../c.ts', './e.ts', './f.ts', 'node:net', './i.ts'])
})

test('what is allowed is allowed', () => {
  const allowed: [string, string][] = [
    ['contract/points.ts', 'typebox'],
    ['contract/points.ts', './schema.ts'],
    ['client/client.ts', '../contract/endpoint.ts'],
    ['server/kit/failure.ts', '../../contract/errors.ts'],
    ['server/kit/page.ts', './failure.ts'],
    ['server/http/mount.ts', '../kit/failure.ts'],
    ['server/oauth/token.service.ts', './service.ts'],
    ['server/oauth/service.ts', '../points/service.ts'],
    ['server/oauth/routes.ts', '../accounts/users.service.ts'],
    ['server/oauth/routes.ts', '../http/mount.ts'],
    ['server/accounts/jobs.ts', '../jobs/runner.ts'],
    ['server/app.ts', './points/routes.ts'],
    ['server/service.ts', './app.ts'],
    ['server/points/points.test.ts', '../test/harness.ts'],
  ]
  expect(allowed.flatMap(([path, target]) => faultsOf(path, target))).toEqual([])
})

test('what is not allowed is named, with the reason', () => {
  const forbidden: [string, string, string][] = [
    ['contract/points.ts', 'ajv', 'the contract imports typebox and itself only'],
    ['contract/points.ts', '../server/kit/ids.ts', 'the contract imports itself only'],
    ['client/client.ts', 'undici', 'the client imports the contract only'],
    ['client/client.ts', '../server/kit/ids.ts', 'the client imports the contract only'],
    ['server/points/service.ts', '../../client/client.ts', 'the client is for callers of the service'],
    ['server/kit/failure.ts', '../http/mount.ts', 'floor 1 may not look up or across to floor 5'],
    ['server/kit/failure.ts', '../points/rules.ts', 'no domain word belongs in server/kit'],
    ['server/http/mount.ts', '../points/service.ts', 'no domain word belongs in server/http'],
    ['server/http/mount.ts', '../../contract/points.ts', 'no domain word belongs in server/http'],
    ['server/jobs/runner.ts', '../http/mount.ts', 'floor 5 may not look up or across to floor 5'],
    ['server/points/rules.ts', './store.ts', 'floor 2 may not look up or across to floor 3'],
    ['server/points/store.ts', './service.ts', 'floor 3 may not look up or across to floor 4'],
    ['server/points/service.ts', './routes.ts', 'floor 4 may not look up or across to floor 6'],
    ['server/points/service.ts', '../http/mount.ts', 'floor 4 may not look up or across to floor 5'],
    ['server/points/routes.ts', '../app.ts', 'floor 6 may not look up or across to floor 7'],
    ['server/points/service.ts', '../oauth/service.ts', 'oauth stands to the right of points'],
    ['server/points/routes.ts', '../oauth/service.ts', 'oauth stands to the right of points'],
    ['server/oauth/service.ts', '../points/store.ts', 'of another domain only a service may be imported'],
    ['server/oauth/routes.ts', '../points/rules.ts', 'of another domain only a service may be imported'],
    ['server/points/service.ts', '../test/world.ts', 'tests and their helpers serve tests only'],
    ['server/points/service.ts', './helpers.ts', 'it stands on no floor'],
  ]
  for (const [path, target, reason] of forbidden)
    expect(faultsOf(path, target)).toEqual([`${path} imports ${target}: ${reason}`])
})

test('a file without a floor is a fault in itself', () => {
  expect(floorFaults(new Map([['server/points/helpers.ts', '']]))).toEqual([
    'server/points/helpers.ts stands on no floor: name it like its neighbours, or give it one in server/test/floors.ts',
  ])
})
