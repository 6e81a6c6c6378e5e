import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { countBy, type TestService } from '../harness.ts'
import { requestHost } from '../router.ts'
import { waitUntil } from '../wait.ts'

type Router = Parameters<typeof requestHost>[0]

/** The name under which a router serves a deployment. */
export async function hostnameOf({ db }: TestService, id: string) {
  const [row] = await db.sql<{ subdomain: string }>`select subdomain from deployments where id = ${id}::uuid`
  return `${row?.subdomain}.apps.localhost`
}

/**
 * Asks through the router without a pause, four at once, until the returned function is called; that answers how often it got each
 * status.
 */
export async function startVisits(plaza: TestService, router: Router, id: string) {
  const name = await hostnameOf(plaza, id)
  await waitUntil(async () => (await requestHost(router, name)).status === 200)
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  onTestFinished(() => agent.destroy())
  let is_over = false
  onTestFinished(() => void (is_over = true))
  const statuses: string[] = []
  const visitors = Array.from({ length: 4 }, async () => {
    while (!is_over)
      statuses.push(
        await requestHost(router, name, { agent }).then(
          ({ status }) => String(status),
          (error: Error) => error.message,
        ),
      )
  })
  return async () => {
    is_over = true
    await Promise.all(visitors)
    return countBy(statuses, (status) => status)
  }
}
