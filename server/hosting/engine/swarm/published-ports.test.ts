import { expect, test } from 'vitest'
import { publishedTask, withKnownPorts } from './published-ports.ts'
import type { Service, Task } from './services.ts'

const task = (ID: string, DesiredState: string, port?: number): Task => ({
  ID,
  DesiredState,
  Status: { State: 'running', PortStatus: { Ports: port === undefined ? [] : [{ PublishedPort: port }] } },
})

test('the port of the desired task is kept, not that of its predecessor on a lost host', () => {
  const [lost, wanted] = [task('lost', 'shutdown', 32770), task('wanted', 'running', 32771)]
  expect(publishedTask([lost, wanted])).toBe('wanted 32771')
  expect(publishedTask([wanted, lost])).toBe('wanted 32771')
  expect(publishedTask([lost, task('wanted', 'running')])).toBeUndefined()
})

test('a stored port is used only for its task', () => {
  const service = { Spec: { Labels: { 'plaza.published': 'wanted 32771' } } } as unknown as Service
  const known = withKnownPorts(service, [task('lost', 'shutdown'), task('wanted', 'running')])
  expect(known.map(({ Status }) => Status?.PortStatus?.Ports)).toEqual([[], [{ PublishedPort: 32771 }]])
})
