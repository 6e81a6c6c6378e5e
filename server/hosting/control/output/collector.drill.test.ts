import { expect, test } from 'vitest'
import { decisions } from '../../../../contract/decisions.ts'
import { getDeploymentOutput, searchDeploymentOutput } from '../../../../contract/deployments.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, liveOf, removeByHand, startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'
import { sleep, waitUntil } from '../../../test/wait.ts'

const { window_seconds, window_lines_max } = decisions.container_output
const timing = { lease_seconds: 1.5, output_seconds: 0.3 }

describeEngines('output that is kept (D-64)', async () => {
  const engines = await startEngines({ hosts: 3 })
  const hosting = await startHosting(engines)
  const { plaza, app, deploy, image, startWorker, workerProcess } = hosting
  await engines.push('apps/web', 'one')
  await plaza.db.sql`insert into deploy_tier_replicas select id, 5 from deploy_tiers where slug = 'starter'`

  /** All stored lines, oldest first. */
  async function kept({ id }: TestDeployment, query: { q?: string } = {}) {
    const lines = []
    for (let cursor: string | undefined; ;) {
      plaza.clock.advance(3)
      const page = await app.api.result(searchDeploymentOutput, {
        params: { id },
        query: { limit: 1000, ...query, ...(cursor !== undefined && { cursor }) },
      })
      lines.push(...page.data)
      if (page.next_cursor === null) return lines.reverse()
      cursor = page.next_cursor
    }
  }
  /** All stored lines, once three rounds of a worker added none. */
  async function allKept(web: TestDeployment) {
    for (let all = await kept(web); ;) {
      await sleep(1_000)
      const again = await kept(web)
      if (again.length === all.length) return again
      all = again
    }
  }
  const textsOf = (lines: { text: string }[]) => lines.map(({ text }) => text)
  const numbered = (tag: string, count: number) => Array.from({ length: count }, (_, at) => `${tag} ${at + 1}`)
  const collects = (web: TestDeployment, text: string) =>
    waitUntil(async () => (await kept(web, { q: text })).some((line) => line.text === text), `"${text}"`, {
      timeout_ms: 40_000,
      interval_ms: 300,
    })
  const endpoints = (web: TestDeployment) =>
    plaza.db.sql<{ host: string; port: number }>`
      select endpoint_host as host, endpoint_port as port from deploy_instances where deployment_id = ${web.id} and endpoint_host is not null`

  test('three replicas, restarts of the worker by kill -9, a container removed by hand, a restart and a stop: each line once', async () => {
    const first = await workerProcess({ timing })
    const web = await deploy(image('apps/web:one'))
    await web.reaches('running')
    await web.change({ replicas: 3 })
    await waitUntil(async () => (await endpoints(web)).length === 3, 'three replicas', { interval_ms: 200 })
    const printOn = async (tag: string, count: number, every_ms: number) => {
      const replicas = await endpoints(web)
      for (const [at, { host, port }] of replicas.entries())
        await fetch(`http://${host}:${port}/print?tag=${tag}-${at}&count=${count}&every_ms=${every_ms}&both`)
    }
    await printOn('a', 400, 5)
    await sleep(700)
    first.child.kill('SIGKILL')
    await first.exited
    const second = await workerProcess({ timing })
    await collects(web, 'a-2 400')
    await printOn('b', 300, 5)
    await sleep(500)
    second.child.kill('SIGKILL')
    await second.exited
    const worker = await startWorker({ timing })
    const other = await startWorker({ timing })
    for (const at of [0, 1, 2]) {
      await collects(web, `a-${at} 400`)
      await collects(web, `b-${at} 300`)
    }
    const lines = await kept(web)
    for (const tag of ['a', 'b'])
      for (const at of [0, 1, 2]) {
        const own = lines.filter(({ text }) => text.startsWith(`${tag}-${at} `))
        const count = tag === 'a' ? 400 : 300
        expect([tag, at, textsOf(own).sort()]).toEqual([tag, at, numbered(`${tag}-${at}`, count).sort()])
        expect(new Set(own.map(({ replica }) => replica)).size).toBe(1)
        expect(own.every(({ release }) => release === 1 || release === 2)).toBe(true)
      }
    expect(lines.filter(({ note }) => note !== null)).toEqual([])
    expect(new Set(lines.map(({ replica }) => replica))).toEqual(new Set([1, 2, 3]))
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort())

    // A container is removed by hand: its output stays, and its successor is collected.
    const begun = () => lines.filter(({ text }) => text === 'echo begins').length
    expect(begun()).toBe(3)
    const row = await web.row()
    const host = engines.hosts.find(({ name }) => name === row.host_server)!
    await printOn('c', 20, 0)
    for (const at of [0, 1, 2]) await collects(web, `c-${at} 20`)
    const [doomed] = await containersOf(host, web.id)
    await removeByHand(host, doomed)
    await waitUntil(
      async () => (await kept(web, { q: 'echo begins' })).length === 4,
      'the output of the container in its place',
      { interval_ms: 300 },
    )
    await worker.stop()
    await web.restart()
    await waitUntil(async () => (await kept(web, { q: 'echo begins' })).length >= 7, 'three new ones', {
      interval_ms: 300,
    })
    await web.becomes('generation 2 or later serves everywhere', ({ status }) => status === 'running')
    await waitUntil(async () => (await endpoints(web)).length === 3, 'three replicas', { interval_ms: 200 })
    await expect
      .poll(async () => (await Promise.all(engines.hosts.map((each) => liveOf(each, web.id)))).flat())
      .toHaveLength(3)
    await printOn('d', 50, 0)
    await web.stop()
    await web.reaches('stopped')
    for (const at of [0, 1, 2]) await collects(web, `d-${at} 50`)
    await waitUntil(async () => (await kept(web, { q: 'SIGTERM' })).length >= 5, 'the last words', { interval_ms: 300 })
    const all = await allKept(web)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    for (const [tag, count] of Object.entries({ a: 400, b: 300, c: 20, d: 50 }))
      for (const at of [0, 1, 2])
        expect(textsOf(all.filter(({ text }) => text.startsWith(`${tag}-${at} `))).sort()).toEqual(
          numbered(`${tag}-${at}`, count).sort(),
        )
    expect(textsOf(all).filter((text) => text === 'echo begins')).toHaveLength(7)
    plaza.clock.advance(7)
    const { lines: last } = await app.api.result(getDeploymentOutput, { params: { id: web.id }, query: { tail: 1000 } })
    expect(last).toEqual(all.slice(-1000))
    await other.stop()
  })

  test('a container that floods beside a quiet one: its drops are counted and reported, and the quiet one loses nothing', async () => {
    await startWorker({ timing })
    const [noisy, quiet] = [await deploy(image('apps/web:one')), await deploy(image('apps/web:one'))]
    await Promise.all([noisy.reaches('running'), quiet.reaches('running')])
    await Promise.all([noisy.ask('/flood?lines=20000'), quiet.ask('/print?tag=quiet&count=200&every_ms=15')])
    await collects(quiet, 'quiet 200')
    expect(textsOf(await kept(quiet, { q: 'quiet' }))).toEqual(numbered('quiet', 200))
    // The last of the dropped lines are kept.
    await collects(noisy, 'flooded 20000')
    const lines = await kept(noisy)
    const notes = lines.filter(({ note }) => note === 'dropped')
    expect(notes.length).toBeGreaterThan(0)
    expect(notes.length).toBeLessThan(40)
    expect(lines.some(({ note }) => note === 'gap')).toBe(false)
    const numbers = lines.flatMap(({ text, note }) =>
      note === null && /^flood \d+$/.test(text) ? [Number(text.slice(6))] : [],
    )
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    const windows = new Set(lines.map(({ at }) => Math.floor(Date.parse(at) / 1000 / window_seconds)))
    expect(numbers.length).toBeLessThanOrEqual(windows.size * window_lines_max + notes.length * 100)
    expect(numbers.length).toBeGreaterThan(2_500)
    process.stdout.write(`${numbers.length} lines kept; notes: ${notes.map(({ text }) => text).join(' | ')}\n`)
  })
})
