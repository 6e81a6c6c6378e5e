import { expect, test } from 'vitest'
import { decisions } from '../../../contract/decisions.ts'
import { getDeploymentOutput } from '../../../contract/deployments.ts'
import { getSessionStatus } from '../../../contract/external.ts'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { startHosting, type TestDeployment } from '../../test/engine/hosting.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { raw } from '../../test/world.ts'

describeEngines('output of containers', async () => {
  const engines = await startEngines()
  const { plaza, app, deploy, image, startWorker } = await startHosting(engines)
  await engines.push('apps/web', 'one')
  await startWorker()
  const some_text = expect.any(String) as string

  const linesOf = async ({ id }: { id: string }, tail?: number) => {
    plaza.clock.advance(3)
    const query = tail === undefined ? {} : { tail }
    return (await app.api.result(getDeploymentOutput, { params: { id }, query })).lines
  }
  const say = (web: TestDeployment, text: string) => web.ask(`/say?text=${encodeURIComponent(text)}`)

  /** Opens the stream and collects its events. */
  async function follow({ id }: { id: string }, query = '') {
    const abort = new AbortController()
    const response = await fetch(`${plaza.url}/api/deploy/apps/${id}/output/stream${query}`, {
      headers: { authorization: `Bearer ${app.tokens.access_token}` },
      signal: abort.signal,
    })
    let text = ''
    const ended = (async () => {
      const decoder = new TextDecoder()
      try {
        for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true })
      } catch {
        // Aborted by the test.
      }
    })()
    const events = () =>
      text.split('\n\n').flatMap((block) => {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
        return event === undefined ? [] : [{ event, data: JSON.parse(data ?? '') as { stream: string; text: string } }]
      })
    return { response, events, ended, close: () => abort.abort() }
  }

  test('D-64 the last lines of both streams with their times, as many as requested', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const lines = await linesOf(web)
    expect(lines.map(({ stream, text }) => [stream, text])).toContainEqual(['stdout', 'echo begins'])
    expect(lines.map(({ stream, text }) => [stream, text])).toContainEqual(['stderr', 'echo complains'])
    for (const { at } of lines) expect(Math.abs(new Date(at).getTime() - Date.now())).toBeLessThan(60_000)
    expect(await linesOf(web, 1)).toHaveLength(1)
    expect(await linesOf(web, 0)).toEqual([])
    for (const tail of [-1, 1001, 1.5]) {
      const reply = await app.api.call(getDeploymentOutput, { params: { id: web.id }, query: { tail } })
      expect(outcome(reply)).toEqual(refused('validation_failed', [{ path: 'tail', message: some_text }]))
    }
    // The output of a stopped container can be read.
    await web.stop()
    expect((await linesOf(web)).map(({ text }) => text)).toContain('SIGTERM')
  })

  test('D-64 the stream continues with each new line, and ends with the container', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const stream = await follow(web)
    expect([stream.response.status, stream.response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    const quiet = await follow(web, '?tail=0')
    await expect.poll(() => stream.events().length).toBeGreaterThanOrEqual(2)
    // The response begins before the engine's stream: lines are written until the first one arrives.
    await expect
      .poll(async () => (await say(web, 'are you there'), quiet.events().length), { interval: 300 })
      .toBeGreaterThan(0)
    await say(web, 'one more thing')
    const said = { event: 'line', data: { stream: 'stdout', at: some_text, replica: 1, text: 'one more thing' } }
    for (const { events } of [stream, quiet]) await expect.poll(events).toContainEqual(said)
    expect(quiet.events().filter(({ data }) => JSON.stringify(data).includes('begins'))).toEqual([])
    await web.stop()
    await Promise.all([stream.ended, quiet.ended])
    for (const { events } of [stream, quiet]) expect(events().at(-1)).toEqual({ event: 'ended', data: {} })
  })

  test('D-64 streams per app are limited: one more is 429, and a closed one frees its place', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const { streams_max } = decisions['D-64'].value
    const streams = []
    for (let at = 0; at < streams_max; at++) streams.push(await follow(web))
    expect(streams.map(({ response }) => response.status)).toEqual(Array(streams_max).fill(200))
    const one_more = async () =>
      outcome(
        await raw(plaza, 'GET', `/api/deploy/apps/${web.id}/output/stream`, {
          headers: { authorization: `Bearer ${app.tokens.access_token}` },
        }),
      )
    expect(await one_more()).toEqual(refused('rate_limited'))
    streams[0]?.close()
    await expect.poll(async () => (await follow(web)).response.status, { interval: 500 }).toBe(200)
    for (const stream of streams) stream.close()
  })

  test('D-38 a request that opens a stream counts as a heartbeat', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    plaza.clock.advance(100)
    const begun = plaza.clock.now().toISOString()
    const stream = await follow(web)
    expect(stream.response.status).toBe(200)
    plaza.clock.advance(50)
    expect(await app.api.result(getSessionStatus)).toMatchObject({ last_heartbeat: begun, is_alive: true })
    stream.close()
  })

  test('D-64 a stream ends soon after its token is revoked', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const stream = await follow(web)
    plaza.clock.advance(3_601)
    await stream.ended
    expect(stream.events().at(-1)).toEqual({ event: 'ended', data: {} })
    plaza.clock.advance(-3_601)
  })

  test('D-64 empty before the first start; 503 where this process has no connection to the engine', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await plaza.db.sql`update deployments set host_server = 'elsewhere' where id = ${web.id}`
    for (const path of ['output', 'output/stream']) {
      const reply = await raw(plaza, 'GET', `/api/deploy/apps/${web.id}/${path}`, {
        headers: { authorization: `Bearer ${app.tokens.access_token}` },
      })
      expect([path, ...outcome(reply)]).toEqual([path, ...refused('container_engine_unavailable')])
    }
    await plaza.db.sql`update deployments set host_server = null where id = ${web.id}`
    expect(await linesOf(web)).toEqual([])
    await plaza.db.sql`update deployments set host_server = 'host1' where id = ${web.id}`
  })

  test('D-64 an unreachable engine: 503, and an open stream ends', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const stream = await follow(web)
    await engines.host.stop()
    await stream.ended
    const reply = await app.api.call(getDeploymentOutput, { params: { id: web.id }, query: {} })
    expect(outcome(reply)).toEqual(refused('container_engine_unavailable'))
    await engines.host.start()
  })
})
