import { setTimeout as sleep } from 'node:timers/promises'
import { login } from '../../contract/accounts.ts'
import { awardPoints } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { openChannel, sendMessage } from '../../contract/social.ts'
import { startExample } from '../../examples/world/service.ts'
import { makeExampleWorld } from '../../examples/world/world.ts'
import { desktop, launchBrowser, openContext } from './launch.ts'

/**
 * `npx tsx web/test/frame-times.ts`: the longest frames of pages while their event stream receives 10,000 events in a
 * minute (issue 30). `FRAME_SECONDS` changes the duration, not the rate. Exits with 1 if a frame took more than 100 ms.
 */
const seconds = Number(process.env.FRAME_SECONDS ?? 60)
const events_per_second = 10_000 / 60
const frame_max_ms = 100
/** Maximum calls of a tenth of a second that may be pending. */
const waiting_max = 64

const recorder = `
globalThis.frames = []
globalThis.tasks = []
let last = performance.now()
const tick = (now) => {
  frames.push(now - last)
  last = now
  requestAnimationFrame(tick)
}
requestAnimationFrame(tick)
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) tasks.push(duration)
}).observe({ type: 'longtask' })`

/** Makes calls at the rate for the duration; returns their number. */
async function sendAll(send: (at: number) => Promise<unknown>) {
  const until = Date.now() + seconds * 1_000
  const begun = Date.now()
  const waiting = new Set<Promise<unknown>>()
  let sent = 0
  while (Date.now() < until) {
    const due = Math.floor(((Date.now() - begun) / 1_000) * events_per_second)
    while (sent < due && waiting.size < waiting_max) {
      const call: Promise<unknown> = send(sent++).finally(() => waiting.delete(call))
      waiting.add(call)
    }
    await sleep(10)
  }
  await Promise.all(waiting)
  return sent
}

const browser = await launchBrowser()
const { service, url, stop } = await startExample()
try {
  const world = await makeExampleWorld(service)
  const anonymous = new PlazaClient(url)
  const clientOf = async (person: { email: string; password: string }) =>
    anonymous.withToken((await anonymous.result(login, { body: person })).token)
  const [admin, other] = [await clientOf(world.admin), await clientOf(world.operator)]
  const { id: channel_id } = await other.result(openChannel, { body: { type: 'lobby' } })
  const award = () => admin.result(awardPoints, { body: { user_id: world.user_id, amount: 1 } })
  const say = (at: number) => other.result(sendMessage, { params: { channel_id }, body: { body: `Message ${at}` } })
  process.stdout.write(
    '| page | events sent | frames | longest frame, ms | frames above 100 ms | longest task, ms | main thread busy |\n|---|---|---|---|---|---|---|\n',
  )
  for (const [path, send] of [
    ['/points', award],
    ['/inbox', award],
    ['/chat', say],
  ] as const) {
    const context = await openContext(browser, url, { baseURL: url, viewport: desktop }, world.user)
    const tab = await context.newPage()
    const session = await context.newCDPSession(tab)
    await session.send('Performance.enable')
    const busySeconds = async () =>
      (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value
    await tab.goto(path)
    await tab.locator('main h1').first().waitFor()
    await sleep(3_000)
    await tab.evaluate(recorder)
    const busy_before = await busySeconds()
    const sent = await sendAll(send)
    await sleep(2_000)
    const busy = ((await busySeconds()) - busy_before) / (seconds + 2)
    const { frames, tasks } = await tab.evaluate<{ frames: number[]; tasks: number[] }>('({ frames, tasks })')
    const longest = Math.max(...frames)
    const slow = frames.filter((frame) => frame > frame_max_ms).length
    if (slow > 0) process.exitCode = 1
    process.stdout.write(
      `| ${path} | ${sent} | ${frames.length} | ${Math.round(longest)} | ${slow} | ${Math.round(Math.max(0, ...tasks))} | ${Math.round(busy * 100)} % |\n`,
    )
    await context.close()
  }
} finally {
  await browser.close()
  await stop()
}
