import { expect, test } from 'vitest'
import { EngineError } from '../../engine/engine.ts'
import { notIsolated, PlatformError } from './platform-error.ts'
import { waitingMessage } from './waiting.ts'

test('D-126: the owner sees why a deployment waits, without paths of the host or errors of the platform', () => {
  const cases: [unknown, string][] = [
    [
      new EngineError('no_capacity', 'write /var/lib/docker/tmp/x: no space left on device'),
      'The disk of its container host is full. It is tried again.',
    ],
    [
      new EngineError('no_capacity', 'all ports are allocated'),
      'No container host has room for it: memory, ports or networks are used up. It is tried again.',
    ],
    [
      new EngineError('registry_unreachable', 'From registry.test: dial tcp: connection refused'),
      'From registry.test: dial tcp: connection refused. It is tried again.',
    ],
    [
      new EngineError('registry_unreachable', 'registry.test did not answer in time.'),
      'registry.test did not answer in time. It is tried again.',
    ],
    [new EngineError('unreachable', 'connect ENOENT /run/x'), 'Its container host does not answer. It is tried again.'],
    [new EngineError('timeout', 'late'), 'Its container host does not answer. It is tried again.'],
    [
      new PlatformError('environment_unreadable', 'sealed with another key'),
      'The platform cannot read its environment at the moment. It is tried again.',
    ],
    [notIsolated({ plain: 'The isolation of a is being checked.', full: 'x' }), 'The isolation of a is being checked.'],
    [new TypeError('x is not a function'), 'The platform could not work on it. It is tried again.'],
  ]
  for (const [error, message] of cases) expect(waitingMessage(error)).toBe(message)
})
