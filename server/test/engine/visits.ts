import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { countBy, type TestService } from '../harness.ts'
import { requestHost } from '../router.ts'
import { sleep, waitUntil } from '../wait.ts'

/** One request about every 50 ms: more would take a processor from the code under test. */
const visitors = 2
const pause_ms = 100

type Router = Parameters<typeof requestHost>[0]

/** The hostname at which a router serves a deployment. */
export async function hostnameOf({ db }: TestService, id: string) {
  const [row] = await db.sql<{ subdomain: string }>`select subdomain from deployments where id = ${id}::uuid`
  return `${row?.subdomain}.apps.localhost`
}

/**
 * Sends requests of two visitors through the router until the returned function is called, which returns the number of responses by status.
 * `slow` adds two visitors whose responses take a second, so that a request is always in flight. `during` names the current operation;
 * failures are counted by operation.
 */
export async function startVisits(
  plaza: TestService,
  router: Router,
  id: string,
  { slow = false, during = () => '' }: { slow?: boolean; during?: () => string } = {},
) {
  const name = await hostnameOf(plaza, id)
  await waitUntil(async () => (await requestHost(router, name)).status === 200)
  const agent = new Agent({ keepAlive: true, maxSockets: 6 })
  onTestFinished(() => agent.destroy())
  let is_over = false
  onTestFinished(() => void (is_over = true))
  const statuses: string[] = []
  const paths = [...Array<string>(visitors).fill('/'), ...(slow ? ['/wait?ms=1000', '/wait?ms=1000'] : [])]
  const visiting = paths.map(async (path) => {
    while (!is_over) {
      statuses.push(
        await requestHost(router, name, { agent, path }).then(
          ({ status, body }) => (status === 200 ? '200' : `${status} ${during()} ${reasonOf(body)}`.trimEnd()),
          (error: Error) => `${error.message} ${during()}`.trimEnd(),
        ),
      )
      await sleep(pause_ms)
    }
  })
  return async () => {
    is_over = true
    await Promise.all(visiting)
    return countBy(statuses, (status) => status)
  }
}

/** The error that a response of the router itself names. */
const reasonOf = (body: string) => /"error":"([^"]*)"/.exec(body)?.[1] ?? ''
