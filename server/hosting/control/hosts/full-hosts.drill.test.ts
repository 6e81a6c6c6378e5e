import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { liveOf, startHosting } from '../../../test/engine/hosting.ts'

const lacksCapacity = ({ last_error }: { last_error: string | null }) =>
  last_error?.startsWith('no_capacity: ') ?? false

describeEngines('a host without capacity, and a registry without TLS', async () => {
  const engines = await startEngines({ ports: [40_000, 40_001] })
  const { host } = engines
  const tls_registry = `${engines.tls_only_address}:${await freePort(engines.tls_only_address)}`
  const { deploy, image, startWorker } = await startHosting(engines, { env: { REGISTRY_PUBLIC: tls_registry } })
  await engines.push('apps/web', 'one', { mode: 'small' })
  await startWorker()

  test('18: with all ports in use a deployment waits without failing; it runs as soon as one is free', async () => {
    const first = await deploy(image('apps/web:one'))
    const second = await deploy(image('apps/web:one'))
    await Promise.all([first.reaches('running'), second.reaches('running')])
    const third = await deploy(image('apps/web:one'))
    await third.becomes('no port', lacksCapacity)
    expect(await third.row()).toMatchObject({ status: 'deploying', failed_generation: null })
    await first.destroy()
    await third.reaches('running')
    expect(await third.failures()).toEqual([])
    expect([await liveOf(host, first.id), await liveOf(host, second.id), await liveOf(host, third.id)]).toEqual([
      [],
      [expect.anything()],
      [expect.anything()],
    ])
    await Promise.all([second.destroy(), third.destroy()])
  })

  test('4: a registry that does not speak TLS is retried, and nothing fails permanently', async () => {
    let asked = 0
    const [address, port] = tls_registry.split(':')
    const server = createServer((socket) => {
      asked++
      socket.on('error', () => {}).end('HTTP/1.0 400 Bad Request\r\n\r\nspeak plainly')
    }).listen(Number(port), address)
    await new Promise((done) => server.once('listening', done))
    onTestFinished(() => void server.close())
    const web = await deploy(`${tls_registry}/library/web:one`)
    await web.becomes('tried twice', ({ attempts }) => attempts >= 2)
    expect(asked).toBeGreaterThan(1)
    expect(await web.row()).toMatchObject({
      status: 'deploying',
      failed_generation: null,
      last_error: expect.stringMatching(/^registry_unreachable: .*HTTPS/) as string,
    })
    expect(await web.failures()).toEqual([])
    await web.destroy()
    await web.reaches('destroyed')
  })
})
