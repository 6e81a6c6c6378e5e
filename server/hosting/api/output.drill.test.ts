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

  test('D-64 the last lines of both streams with their times, as many as requested; also after a stop', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const texts = async () => (await linesOf(web)).map(({ stream, text }) => `${stream} ${text}`)
    await expect.poll(texts, { interval: 200 }).toHaveLength(3)
    expect((await texts()).sort()).toEqual(['stderr echo complains', 'stdout echo begins', 'stdout listening'])
    for (const { at, ...line } of await linesOf(web)) {
      expect(Math.abs(new Date(at).getTime() - Date.now())).toBeLessThan(60_000)
      expect(line).toMatchObject({ id: some_text, replica: 1, release: 1, note: null, dropped: 0 })
    }
    expect(await linesOf(web, 1)).toHaveLength(1)
    expect(await linesOf(web, 0)).toEqual([])
    await web.stop()
    await expect.poll(texts, { interval: 200 }).toContain('stdout SIGTERM')
  })

  test('D-64 the stream continues with each new line, over a restart, and ends when it is stopped', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await expect.poll(() => linesOf(web), { interval: 200 }).toHaveLength(3)
    const stream = await follow(web)
    expect([stream.response.status, stream.response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    const quiet = await follow(web, '?tail=0')
    await expect.poll(() => stream.events().length).toBe(3)
    await say(web, 'one more thing')
    const said = {
      event: 'line',
      data: {
        id: some_text,
        stream: 'stdout',
        at: some_text,
        replica: 1,
        release: 1,
        text: 'one more thing',
        note: null,
        dropped: 0,
      },
    }
    for (const { events } of [stream, quiet]) await expect.poll(events).toContainEqual(said)
    expect(quiet.events()).toHaveLength(1)
    await web.restart()
    const begun = () => stream.events().filter(({ data }) => data.text === 'echo begins').length
    await expect.poll(begun).toBe(2)
    await web.becomes('generation 2 serves', ({ serving_generation }) => serving_generation === 2)
    await web.stop()
    await Promise.all([stream.ended, quiet.ended])
    for (const { events } of [stream, quiet]) {
      expect(events().at(-1)).toEqual({ event: 'ended', data: {} })
      const texts = events().map(({ data }) => data.text)
      expect(texts.filter((text) => text === 'SIGTERM')).toHaveLength(2)
    }
    expect(begun()).toBe(2)
  })

  test('D-64 streams per app are limited: one more is 429, and closing one makes room', async () => {
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    const { streams_max } = decisions.container_output
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

  test('D-64 empty before the first start; kept output can be read and followed while its host is out of reach', async () => {
    const web = await deploy(image('apps/web:one'))
    expect(await linesOf({ id: web.id })).toEqual([])
    await web.reaches('running')
    await expect.poll(() => linesOf(web), { interval: 200 }).toHaveLength(3)
    const stream = await follow(web)
    await expect.poll(() => stream.events().length).toBe(3)
    await engines.host.crash()
    expect(await linesOf(web)).toHaveLength(3)
    await say(web, 'written meanwhile')
    await engines.host.start()
    await expect.poll(() => stream.events().map(({ data }) => data.text)).toContain('written meanwhile')
    stream.close()
  })
})
