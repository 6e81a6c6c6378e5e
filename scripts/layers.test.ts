import { expect, test } from 'vitest'
import { cyclesOf, importsOf, layerErrors, placeOf, readSources } from './layers.ts'

/** The errors of a file with a single import. */
const errorsOf = (path: string, target: string) => layerErrors(new Map([[path, `import { it } from '${target}'\n`]]))

test('imports go downward only, between domains to services of earlier ones, and have no cycles', async () => {
  const sources = await readSources()
  expect([...new Set([...sources.keys()].map((path) => path.split('/')[0]))].sort()).toEqual([
    'bench',
    'cli',
    'client',
    'contract',
    'examples',
    'languages',
    'scripts',
    'server',
    'web',
  ])
  expect(layerErrors(sources)).toEqual([])
})

test('a file’s layer follows from its name or its folder', () => {
  const layers = {
    'contract/points.ts': 0,
    'server/platform/postgres/database.ts': 1,
    'server/points/rules.ts': 2,
    'server/points/store.ts': 3,
    'server/oauth/refresh-tokens.store.ts': 3,
    'server/hosting/engine/docker/docker.ts': 3,
    'server/points/service.ts': 4,
    'server/oauth/refresh-token-rotation.service.ts': 4,
    'server/http/mount.ts': 5,
    'server/jobs/runner.ts': 5,
    'server/points/routes.ts': 6,
    'server/domain.ts': 5,
    'server/accounts/jobs.ts': 6,
    'server/points/domain.ts': 6,
    'server/hosting/settings.ts': 6,
    'server/hosting/proxy/server.ts': 6,
    'server/app.ts': 7,
    'server/points/helpers.ts': undefined,
  }
  for (const [path, layer] of Object.entries(layers)) expect([path, placeOf(path)?.layer]).toEqual([path, layer])
})

test('imports are found in every syntax', () => {
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

test('allowed imports give no error', () => {
  const allowed: [string, string][] = [
    ['contract/points.ts', 'typebox'],
    ['contract/points.ts', './schema.ts'],
    ['client/src/plaza.ts', './sending.ts'],
    ['client/test/road.ts', '../../server/test/free-port.ts'],
    ['server/platform/failure.ts', '../../contract/errors.ts'],
    ['server/platform/page.ts', './failure.ts'],
    ['server/http/mount.ts', '../platform/failure.ts'],
    ['server/oauth/refresh-token-rotation.service.ts', './service.ts'],
    ['server/oauth/service.ts', '../points/service.ts'],
    ['server/oauth/routes.ts', '../accounts/users.service.ts'],
    ['server/oauth/routes.ts', '../http/mount.ts'],
    ['server/accounts/jobs.ts', '../jobs/runner.ts'],
    ['server/domain.ts', './jobs/runner.ts'],
    ['server/points/domain.ts', '../domain.ts'],
    ['server/points/domain.ts', '../accounts/service.ts'],
    ['server/app.ts', './points/domain.ts'],
    ['server/processes/start.ts', './app.ts'],
    ['server/points/points.test.ts', '../test/harness.ts'],
    ['web/pages/account/points.tsx', '../../../contract/points.ts'],
    ['web/api/call.ts', '../../contract/client.ts'],
    ['web/pages/people/event-stream.ts', '../../../client/src/event-frames.ts'],
    ['bench/spend.ts', '../server/config.ts'],
    ['examples/operator-app/demo.ts', '../../server/test/free-port.ts'],
    ['scripts/print.ts', '../server/app.ts'],
  ]
  expect(allowed.flatMap(([path, target]) => errorsOf(path, target))).toEqual([])
})

test('forbidden imports are named with the reason', () => {
  const forbidden: [string, string, string][] = [
    ['contract/points.ts', 'ajv', 'the contract imports typebox and itself only'],
    ['contract/points.ts', '../server/platform/ids.ts', 'the contract imports itself only'],
    ['client/src/plaza.ts', 'undici', 'the client imports itself only'],
    ['client/src/plaza.ts', '../../contract/endpoint.ts', 'client/ does not import contract/'],
    ['client/src/plaza.ts', '../../server/platform/ids.ts', 'client/ does not import server/'],
    ['server/points/service.ts', '../../client/src/plaza.ts', 'the server does not import client/'],
    ['server/points/service.ts', '../../contract/client.ts', 'the server does not call itself'],
    ['server/points/service.ts', '../../web/settings.ts', 'the server does not import web/'],
    ['server/platform/failure.ts', '../http/mount.ts', 'layer 1 may not import layer 5'],
    ['server/platform/failure.ts', '../points/rules.ts', 'no domain word belongs in the platform'],
    ['server/http/mount.ts', '../points/service.ts', 'no domain word belongs in the framework'],
    ['server/http/mount.ts', '../../contract/points.ts', 'no domain word belongs in the framework'],
    ['server/points/rules.ts', './store.ts', 'layer 2 may not import layer 3'],
    ['server/points/store.ts', './service.ts', 'layer 3 may not import layer 4'],
    ['server/points/service.ts', './routes.ts', 'layer 4 may not import layer 6'],
    ['server/points/service.ts', '../http/mount.ts', 'layer 4 may not import layer 5'],
    ['server/points/routes.ts', '../app.ts', 'layer 6 may not import layer 7'],
    ['server/points/service.ts', '../oauth/service.ts', 'oauth comes after points'],
    ['server/points/routes.ts', '../oauth/service.ts', 'oauth comes after points'],
    ['server/oauth/service.ts', '../points/store.ts', 'of another domain only a service may be imported'],
    ['server/oauth/routes.ts', '../points/rules.ts', 'of another domain only a service may be imported'],
    ['server/points/domain.ts', '../oauth/service.ts', 'oauth comes after points'],
    ['server/oauth/domain.ts', '../accounts/domain.ts', 'layer 6 may not import layer 6'],
    ['server/domain.ts', './points/service.ts', 'no domain word belongs in the framework'],
    ['server/points/service.ts', '../test/world.ts', 'test code serves tests only'],
    ['server/points/service.ts', './helpers.ts', 'it has no layer'],
    ['web/settings.ts', '../server/pages/settings.rules.ts', 'web/ does not import server/'],
    ['web/pages/account/points.tsx', '../../test/launch.ts', 'test code serves tests only'],
    ['scripts/print.ts', '../bench/run.ts', 'scripts/ does not import bench/'],
  ]
  for (const [path, target, reason] of forbidden)
    expect(errorsOf(path, target)).toEqual([`${path} imports ${target}: ${reason}`])
})

test('a file without a layer is an error', () => {
  expect(layerErrors(new Map([['server/points/helpers.ts', '']]))).toEqual([
    'server/points/helpers.ts has no layer: name it like its neighbours, or give it one in scripts/layers.ts',
  ])
})

test('cycles are found once each, also through types and several files', () => {
  const sources = new Map([
    ['web/a.ts', "import type { B } from './b.ts'"],
    ['web/b.ts', "import { c } from './c.tsx'"],
    ['web/c.tsx', "import { a } from './a.ts'"],
    ['web/d.ts', "import { a } from './a.ts'"],
  ])
  expect(cyclesOf(sources)).toEqual([['web/a.ts', 'web/b.ts', 'web/c.tsx', 'web/a.ts']])
})
