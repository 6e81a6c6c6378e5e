import { expect, test } from 'vitest'
import { newSerialNumber } from './registry-certificates.ts'
import { allowedAccess } from './registry.rules.ts'

const app = { client_id: 'plz_app_one' }
const own = 'plz_app_one/web'

test.each<[string, string[], [string, string][]]>([
  ['its own path', [`repository:${own}:pull,push`], [[own, 'pull,push']]],
  ['its own path, deep', [`repository:${own}/a/b:push`], [[`${own}/a/b`, 'push']]],
  [
    'several at once',
    [`repository:${own}:pull repository:shared/base:pull`],
    [
      [own, 'pull'],
      ['shared/base', 'pull'],
    ],
  ],
  [
    'several parameters',
    [`repository:${own}:push`, 'repository:shared/base:pull'],
    [
      [own, 'push'],
      ['shared/base', 'pull'],
    ],
  ],
  ['what is shared, to pull only', ['repository:shared/base:pull,push'], [['shared/base', 'pull']]],
  ['an action twice', [`repository:${own}:pull,pull`], [[own, 'pull']]],
  ['no deletion', [`repository:${own}:delete,*`], []],
  ['another app', ['repository:plz_app_two/web:pull,push'], []],
  ['a name that begins alike', ['repository:plz_app_one2/web:push', 'repository:plz_app_one.x/web:push'], []],
  ['the name alone, without a path', ['repository:plz_app_one:push'], []],
  ['official images', ['repository:library/web:pull'], []],
  ['the catalogue', ['registry:catalog:*'], []],
  ['a path that climbs', [`repository:${own}/../../plz_app_two/web:push`, 'repository:/plz_app_one/web:push'], []],
  [
    'another spelling',
    ['repository:PLZ_APP_ONE/web:push', `repository:${own}:PUSH`, `repository(plugin):${own}:push`],
    [],
  ],
  ['nonsense', ['', ':', '::', `repository:${own}`, `repository:${own}:`, 'x'.repeat(1000)], []],
])('D-95: a token of the registry for an app: %s', (_what, scopes, expected) => {
  expect(allowedAccess(app, scopes)).toEqual(
    expected.map(([name, actions]) => ({ type: 'repository', name, actions: actions.split(',') })),
  )
})

test('D-95: a worker can pull all images of apps, and push none', () => {
  expect(allowedAccess('worker', [`repository:${own}:pull,push`, 'repository:shared/base:push'])).toEqual([
    { type: 'repository', name: own, actions: ['pull'] },
  ])
})

test('D-95: serial numbers of certificates have 16 bytes, are positive, and have no leading zeros that DER refuses', () => {
  for (let tries = 0; tries < 2_000; tries++) expect(newSerialNumber()).toMatch(/^4[0-9a-f]{31}$/)
})
