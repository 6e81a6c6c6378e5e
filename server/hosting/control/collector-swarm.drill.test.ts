import { expect, test } from 'vitest'
import { searchDeploymentOutput } from '../../../contract/deployments.ts'
import { describeEngines, joinSwarm, startEngines } from '../../test/engine/harness.ts'
import { startHosting } from '../../test/engine/hosting.ts'
import { sleep, waitUntil } from '../../test/wait.ts'
import { no_new_privileges_label } from '../engine/swarm/services.ts'

const timing = { lease_seconds: 3 }

describeEngines('output of a Swarm that is kept (D-64)', async () => {
  const engines = await startEngines({
    hosts: 2,
    daemon_options: ['--no-new-privileges', '--label', `${no_new_privileges_label}=true`],
  })
  const hosting = await startHosting(engines, { swarm: await joinSwarm(engines) })
  const { plaza, app, deploy, image, testWorker, workerProcess } = hosting
  await engines.push('apps/web', 'one')

  test('over nodes, a killed worker, a program that ends by itself, a restart and a stop: each line once', async () => {
    const first = await workerProcess({ timing })
    const [web, other] = [await deploy(image('apps/web:one')), await deploy(image('apps/web:one'))]
    await Promise.all([web.reaches('running', 90), other.reaches('running', 90)])
    const kept = async ({ id }: { id: string }) => {
      plaza.clock.advance(3)
      const page = await app.api.result(searchDeploymentOutput, { params: { id }, query: { limit: 1000 } })
      return page.data.reverse()
    }
    const textsOf = async (each: { id: string }) => (await kept(each)).map(({ text }) => text)
    const collects = (each: { id: string }, text: string) =>
      waitUntil(async () => (await textsOf(each)).includes(text), `"${text}"`, { timeout_ms: 60_000, interval_ms: 300 })
    const numbered = (tag: string, count: number) => Array.from({ length: count }, (_, at) => `${tag} ${at + 1}`)
    const taggedOf = async (each: { id: string }, tag: string) =>
      (await textsOf(each)).filter((text) => text.startsWith(`${tag} `)).sort()
    for (const each of [web, other]) await each.ask('/print?tag=a&count=200&every_ms=10&both')
    await sleep(1_000)
    first.child.kill('SIGKILL')
    await first.exited
    await testWorker({ timing })
    for (const each of [web, other]) {
      await collects(each, 'a 200')
      expect(await taggedOf(each, 'a')).toEqual(numbered('a', 200).sort())
    }
    // The Swarm replaces the task by another one.
    await web.ask('/exit?code=3')
    await waitUntil(
      async () => (await textsOf(web)).filter((text) => text === 'listening').length === 2,
      'a second task',
      {
        interval_ms: 300,
      },
    )
    await web.reaches('running', 60)
    await waitUntil(async () => (await web.ask('/print?tag=b&count=50')) === 'begun', 'an answer', { interval_ms: 300 })
    await collects(web, 'b 50')
    await web.restart()
    await web.becomes('generation 2 serves', ({ serving_generation }) => serving_generation === 2, 90)
    await web.ask('/print?tag=c&count=50')
    await collects(web, 'c 50')
    await web.stop()
    await web.reaches('stopped', 60)
    await sleep(3_000)
    const lines = await kept(web)
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
    for (const [tag, count] of Object.entries({ a: 200, b: 50, c: 50 }))
      expect(await taggedOf(web, tag)).toEqual(numbered(tag, count).sort())
    expect(lines.filter(({ note }) => note !== null)).toEqual([])
    const last_words = lines.filter(({ text }) => text === 'SIGTERM').length
    process.stdout.write(`Of 2 containers that were stopped, ${last_words} last words were kept.\n`)
  })
})
