import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../test/free-port.ts'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { containersOf, liveOf, startHosting } from '../../test/engine/hosting.ts'

const noRoom = ({ last_error }: { last_error: string | null }) => last_error?.startsWith('no_capacity: ') ?? false

describeEngines('a host that has no room, and a registry that cannot be trusted', async () => {
  const engines = await startEngines({ disk_mb: 500, ports: [40_000, 40_001] })
  const { host } = engines
  const strange_registry = `${engines.strange_address}:${await freePort(engines.strange_address)}`
  const { deploy, image, startWorker } = await startHosting(engines, { env: { REGISTRY_PUBLIC: strange_registry } })
  await engines.push('apps/web', 'one', { mode: 'small' })
  await engines.push('apps/web', 'large', { mode: 'small', extra_mb: 250 })
  await startWorker()

  test('18: with every port taken a deployment waits and has not failed; it runs as soon as one is free', async () => {
    const first = await deploy(image('apps/web:one'))
    const second = await deploy(image('apps/web:one'))
    await Promise.all([first.reaches('running'), second.reaches('running')])
    const third = await deploy(image('apps/web:one'))
    await third.becomes('no port', noRoom)
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

  test('18: an image for which the disk has no room is fetched once it has; what runs goes on', async () => {
    const small = await deploy(image('apps/web:one'))
    await small.reaches('running')
    const large = await deploy(image('apps/web:large'))
    await large.becomes('no room', noRoom)
    expect(await large.row()).toMatchObject({
      status: 'deploying',
      failed_generation: null,
      last_error: expect.stringContaining('no space left on device') as string,
    })
    expect(await containersOf(host, large.id)).toEqual([])
    expect(await liveOf(host, small.id)).toHaveLength(1)
    await host.resize(2_000)
    await large.reaches('running')
    expect(await large.failures()).toEqual([])
    expect(await liveOf(host, large.id)).toHaveLength(1)
    await Promise.all([small.destroy(), large.destroy()])
  })

  test('4: a registry that does not speak TLS as it must is tried again, and nothing has failed for good', async () => {
    let asked = 0
    const [address, port] = strange_registry.split(':')
    const server = createServer((socket) => {
      asked++
      socket.on('error', () => {}).end('HTTP/1.0 400 Bad Request\r\n\r\nspeak plainly')
    }).listen(Number(port), address)
    await new Promise((done) => server.once('listening', done))
    onTestFinished(() => void server.close())
    const web = await deploy(`${strange_registry}/library/web:one`)
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
