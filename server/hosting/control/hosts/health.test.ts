import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sharedService } from '../../../test/harness.ts'
import type { LiveDeployment } from './drift.store.ts'
import { openHealth } from './health.ts'
import { default_timing } from '../timing.rules.ts'

const { db } = await sharedService()

/** A port that counts its connections. */
async function startPort() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {}).resume()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => new Promise((done) => server.close(done))
  onTestFinished(() => void close())
  return { port: (server.address() as AddressInfo).port, count: () => connections, close }
}

/** A deployment with one instance at this port. */
const deploymentAt = (endpoint_port: number, id = '01890000-0000-7000-8000-000000000001') =>
  ({
    id,
    port: 8080,
    health_path: null,
    is_leased: false,
    instances: [
      {
        number: 1,
        health_status: 'healthy',
        host_server: 'one',
        serving_generation: 1,
        endpoint_host: '127.0.0.1',
        endpoint_port,
      },
    ],
  }) as unknown as LiveDeployment

test('D-126: an instance at a new address is probed immediately, others at their interval', async () => {
  const [one, two] = [await startPort(), await startPort()]
  const health = openHealth({ db, timing: default_timing })
  const view = { isUnhealthy: () => false, listens: async () => false }
  const probe = (endpoint_port: number) => health.probe([deploymentAt(endpoint_port)], () => true, view)
  await probe(one.port)
  await probe(one.port)
  await expect.poll(one.count).toBe(1)
  await probe(two.port)
  await expect.poll(two.count).toBe(1)
})

test.each([true, false])('H18: a host that refuses is lost only if the program listens: %s', async (listens) => {
  const { port, close } = await startPort()
  await close()
  const health = openHealth({ db, timing: default_timing })
  const view = { isUnhealthy: () => false, listens: async () => listens }
  for (let probes = 0; probes < 2; probes++) await health.probe([deploymentAt(port)], () => true, view)
  expect(health.isSilent('one')).toBe(listens)
})

test.each([
  [['cut off'], { listens: true, others: true }],
  [[], { listens: false, others: true }],
  [[], { listens: true, others: false }],
])('H1: cut off alone: %j, where %j', async (found, { listens, others }) => {
  const [lost, other] = [await startPort(), await startPort()]
  await lost.close()
  const health = openHealth({ db, timing: { ...default_timing, health_seconds: 0 } })
  const view = { isUnhealthy: () => false, listens: async () => listens }
  const rows = [
    deploymentAt(lost.port),
    ...(others ? [deploymentAt(other.port, '01890000-0000-7000-8000-000000000002')] : []),
  ]
  const examine = async () => {
    await health.probe(rows, () => true, view)
    return (await health.findCutOff(rows, () => true, view)).map(({ id }) => (id === rows[0]?.id ? 'cut off' : id))
  }
  // One refusal may be a restart of the program. Each instance is reported once.
  expect([await examine(), await examine(), await examine()]).toEqual([[], found, []])
})

test('H18: the first refusal of one port is no sign that its host answers: another is not cut off alone', async () => {
  const ports = [await startPort(), await startPort()]
  for (const { close } of ports) await close()
  const health = openHealth({ db, timing: default_timing })
  const view = { isUnhealthy: () => false, listens: async () => true }
  const [first, second] = [
    deploymentAt(ports[0]!.port),
    deploymentAt(ports[1]!.port, '01890000-0000-7000-8000-000000000002'),
  ]
  await health.probe([first], () => true, view)
  const rows = [first, second]
  await health.probe(rows, () => true, view)
  expect(await health.findCutOff(rows, () => true, view)).toEqual([])
  await health.probe(rows, () => true, view)
  expect(await health.findCutOff(rows, () => true, view)).toEqual([])
  expect(health.isSilent('one')).toBe(true)
})
