import { expect, test } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { openLog } from '../../../platform/log.ts'
import { EngineError } from '../../engine/engine.ts'
import type { PlatformError } from './platform-error.ts'
import { fail } from './rollout.ts'
import type { InstanceContext } from './step-context.ts'

interface Given {
  attempts: number
  last_error: string | null
  listens: boolean
  room: boolean
  cause: 'start_timeout' | 'crash_loop'
}

/** The ends of a start whose port, which refuses connections, was waited for: where it was placed, and whether it failed finally. */
async function giveUp({ attempts, last_error, listens, room, cause }: Given) {
  const moves: unknown[] = []
  let failures = 0
  const endpoint = { host: '127.0.0.1', port: await freePort() }
  const context = {
    deps: {
      log: openLog('silent'),
      clock: () => new Date(),
      db: { transaction: async () => void failures++ },
      environmentOf: () => ({}),
      placement: {
        async place(_row: unknown, number: number, from: string) {
          if (!room) throw new EngineError('no_capacity', 'No room.')
          moves.push([number, from])
        },
      },
    },
    lease: { signal: new AbortController().signal },
    row: { id: 'one', port: 80, health_path: null, serving_generation: null, instances: [], last_error: null },
    instance: { number: 1, attempts, last_error, serving_generation: null, endpoint_host: null },
    host: {
      name: 'host1',
      kind: 'docker',
      engine: {
        listeners: async () => (listens ? [{ address: '0.0.0.0', port: 80, waiting: 0 }] : []),
        // oxlint-disable-next-line require-yield
        async *logs() {},
      },
    },
    containers: [{ generation: 4, phase: 'running', endpoint }],
  } as unknown as InstanceContext
  const step = { do: 'fail', number: 1, generation: 4, cause, message: 'Too late.' } as const
  const answer = await fail(context, step).catch((error: PlatformError) => error.told)
  return { answer, moves, failures }
}

test('H18: a start whose host lets nobody reach the program goes to another host, and fails only the second time in a row or without room', async () => {
  const cut_off: Given = { attempts: 0, last_error: null, listens: true, room: true, cause: 'start_timeout' }
  const moves = [[1, 'host1']]
  const answer = 'Connections to its container host do not arrive. It is started on another.'
  const unreached = 'ports_unreachable: The ports of its container host cannot be reached.'
  for (const before of [
    {},
    { attempts: 3, last_error: 'registry_unreachable: registry.test did not answer in time.' },
    // The error of an earlier generation.
    { last_error: unreached },
  ])
    expect(await giveUp({ ...cut_off, ...before })).toEqual({ answer, moves, failures: 0 })
  const stays = { answer: undefined, moves: [], failures: 1 }
  expect(await giveUp({ ...cut_off, attempts: 1, last_error: unreached })).toEqual(stays)
  expect(await giveUp({ ...cut_off, room: false })).toEqual(stays)
  expect(await giveUp({ ...cut_off, listens: false })).toEqual(stays)
  expect(await giveUp({ ...cut_off, cause: 'crash_loop' })).toEqual(stays)
})
