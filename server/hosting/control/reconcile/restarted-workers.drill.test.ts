import { Agent } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { decisions } from '../../../../contract/decisions.ts'
import { describeEngines, startEngines } from '../../../test/engine/harness.ts'
import { containersOf, expectOneLive, startHosting, type TestDeployment } from '../../../test/engine/hosting.ts'
import { freePort } from '../../../test/free-port.ts'
import { databaseNameOf } from '../../../test/harness.ts'
import { apiProcess, startMain, untilAnswers } from '../../../test/processes.ts'
import { requestHost } from '../../../test/router.ts'
import { sleep, waitUntil } from '../../../test/wait.ts'

const restarts = 2
const sites = 2

describeEngines('workers that are restarted', async () => {
  const engines = await startEngines()
  const env = { ROLES: 'api,router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' }
  const { plaza, deploy, image, settings } = await startHosting(engines, { env })
  const database = await databaseNameOf(plaza)
  await engines.push('apps/web', 'one')

  async function startWorker() {
    const port = await freePort()
    const probes_port = await freePort()
    const started = startMain([], {
      ...apiProcess(database, { port, public_url: plaza.url }),
      ...settings,
      ROLES: 'worker',
      // An app's network has a dozen addresses, which draining containers also occupy.
      DRAIN_SECONDS: '2',
      PROBES_PORT: String(probes_port),
    })
    onTestFinished(() => void started.child.kill('SIGKILL'))
    await untilAnswers(started, `http://127.0.0.1:${probes_port}/readyz`)
    return started
  }

  /** Restarts a site repeatedly; returns the number of restarts. */
  async function restartWhile(isOn: () => boolean, site: TestDeployment) {
    let generation = 1
    // Without a pause, replacements take the processors from the workers.
    for (; isOn(); await sleep(500)) {
      await site.restart()
      generation++
      await site.becomes(`generation ${generation}`, ({ serving_generation }) => serving_generation === generation)
    }
    return generation - 1
  }

  /** Visits a site repeatedly on one connection; returns the statuses, or the codes of connection errors. */
  async function visitWhile(isOn: () => boolean, host: string) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const outcomes: (number | string)[] = []
    for (; isOn(); await sleep(30))
      outcomes.push(
        await requestHost(plaza, host, { agent }).then(
          ({ status }) => status,
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        ),
      )
    agent.destroy()
    return outcomes
  }

  test('D-93: two workers are restarted in turn while sites are replaced: no visitor gets a failure, and every change happens once', async () => {
    expect(decisions.draining.drain_seconds).toBe(5)
    const workers = [await startWorker(), await startWorker()]
    const webs: TestDeployment[] = []
    for (let at = 0; at < sites; at++) webs.push(await deploy(image('apps/web:one')))
    for (const web of webs) await web.reaches('running')
    const names = await plaza.db.sql<{ subdomain: string }>`select subdomain from deployments`
    const hosts = names.map(({ subdomain }) => `${subdomain}.apps.localhost`)
    await waitUntil(
      async () =>
        (await Promise.all(hosts.map((host) => requestHost(plaza, host)))).every(({ status }) => status === 200),
      'the sites',
    )

    const state = { on: true }
    const isOn = () => state.on
    const visiting = hosts.map((host) => visitWhile(isOn, host))
    const replacing = webs.map((web) => restartWhile(isOn, web))
    for (let restart = 0; restart < restarts; restart++) {
      const at = restart % 2
      workers[at]!.child.kill('SIGTERM')
      const { code, stderr } = await workers[at]!.ended
      expect([restart, code, stderr]).toEqual([restart, 0, ''])
      workers[at] = await startWorker()
    }
    state.on = false
    const replaced = await Promise.all(replacing)
    const outcomes = (await Promise.all(visiting)).flat()
    const total = replaced.reduce((sum, count) => sum + count, 0)
    process.stdout.write(
      `restarted workers: ${restarts} restarts, ${total} replacements, ${outcomes.length} visits ` +
        `(${outcomes.filter((outcome) => outcome !== 200).length} failed)\n`,
    )
    expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([])
    expect(outcomes.length).toBeGreaterThan(100)
    for (const [at, web] of webs.entries()) {
      await web.becomes('idle', ({ lease_owner }) => lease_owner === null)
      await waitUntil(
        async () => (await containersOf(engines.host, web.id)).length === 1,
        'the removal of old containers',
      )
      await expectOneLive([engines.host], web)
      const entries = (await web.logs()).map(({ action, status }) => `${action} ${status}`)
      const each = Array.from({ length: replaced[at]! }, () => ['restart succeeded', 'deploy succeeded']).flat()
      expect(entries).toEqual(['create succeeded', 'deploy succeeded', ...each])
    }
  }, 900_000)
})
