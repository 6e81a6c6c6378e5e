import { expect, test } from 'vitest'
import { isolationOf, refusalOf, type MachineIsolation } from './isolation.rules.ts'

const found = (what: 'host' | 'metadata' | 'database', address = '10.0.0.1', port = 22) =>
  ({ what, address, port, answer: 'connected' }) as const
const machine = (fields: Partial<MachineIsolation>): MachineIsolation => ({
  host: 'one',
  node: '',
  state: 'isolated',
  found: [],
  reason: null,
  ...fields,
})
const policy = { refuse_unchecked: false }
const end = 'New containers wait until the administrators of the platform have fixed this.'

test('D-113: a machine is isolated if only targets that apps may reach answered', () => {
  const allowed = new Set(['10.0.0.1:443'])
  const result = (...all: ReturnType<typeof found>[]) =>
    isolationOf('one', { node: 'n', failure: null, found: all }, allowed)
  expect(result()).toEqual(machine({ node: 'n' }))
  expect(result(found('host', '10.0.0.1', 443))).toEqual(machine({ node: 'n' }))
  const all = [found('host', '10.0.0.1', 443), found('host')]
  expect(result(...all)).toEqual(machine({ node: 'n', state: 'reachable', found: [found('host')] }))
  expect(isolationOf('one', { node: null, failure: 'No program.', found: [] }, allowed)).toEqual(
    machine({ state: 'unchecked', reason: 'No program.' }),
  )
  expect(result(...Array.from({ length: 90 }, () => found('host'))).found).toHaveLength(50)
})

test('D-113: an isolated host accepts new instances; one that was not probed yet does not', () => {
  expect(refusalOf('one', [machine({}), machine({ node: 'b' })], policy)).toBeUndefined()
  expect(refusalOf('one', [], policy)).toEqual({
    host: 'one',
    plain: 'The isolation of one is being checked.',
    full: 'one has not been probed yet',
  })
})

test('D-113: one open machine is enough for a refusal; owners see the kind of target, admins its address', () => {
  const open = machine({
    node: 'b',
    state: 'reachable',
    found: [found('metadata', '169.254.169.254', 80), found('host'), found('host', '10.0.0.2'), found('database')],
  })
  expect(refusalOf('one', [machine({ node: 'a' }), open], policy)).toEqual({
    host: 'one',
    plain: `Containers on one/b reach the host itself, the metadata address of its cloud and the database. ${end}`,
    full:
      'one/b: metadata 169.254.169.254:80 connected, host 10.0.0.1:22 connected, host 10.0.0.2:22 connected, ' +
      'database 10.0.0.1:22 connected',
  })
})

test('D-113: a machine that cannot be probed is used, but with ISOLATION=checked it is not', () => {
  const all = [machine({ node: 'a' }), machine({ node: 'b', state: 'unchecked', reason: 'No program.' })]
  expect(refusalOf('one', all, policy)).toBeUndefined()
  expect(refusalOf('one', all, { refuse_unchecked: true })).toEqual({
    host: 'one',
    plain: `The isolation of one/b could not be checked. ${end}`,
    full: 'one/b: No program.',
  })
})
