import { randomUUID } from 'node:crypto'
import { saveFailure } from '../hosting/control/reconcile/failure.store.ts'
import { saveServing } from '../hosting/control/reconcile/instances.store.ts'
import type { TestService } from './harness.ts'
import { sendAs, withoutWaiting, type SomeHostingApp } from './hosting-world.ts'

export const served_digest = `sha256:${'a'.repeat(64)}`

/** Changes the latest generation of a deployment as a worker that has leased it. */
async function asWorker({ db }: TestService, id: string, work: (claim: Claim) => Promise<unknown>) {
  const owner = randomUUID()
  const [row] = await db.sql<{ generation: number }>`
    with placed as (
      insert into deploy_instances (deployment_id, number, host_server) values (${id}, 1, 'somewhere') on conflict do nothing
    )
    update deployments set lease_owner = ${owner} where id = ${id} returning generation`
  const written = await work({ id, owner, generation: row!.generation, number: 1 })
  if (written !== true) throw new Error('the worker’s claim was not valid')
  await db.sql`update deployments set lease_owner = null where id = ${id}`
}

interface Claim {
  id: string
  owner: string
  generation: number
  number: number
}

/** Writes the same as a worker when the port of the latest generation answers. */
export const latestServes = (plaza: TestService, id: string, image = `public.test/library/web@${served_digest}`) =>
  asWorker(plaza, id, (claim) =>
    saveServing(plaza.db, claim, {
      generation: claim.generation,
      endpoint: { host: '127.0.0.1', port: 1 },
      restarts: 0,
      image,
      now: plaza.clock.now(),
      details: { message: 'The container runs and its port answers.' },
    }),
  )

/** Writes the same as a worker when the latest generation does not start. */
export const latestFails = (plaza: TestService, id: string) =>
  asWorker(plaza, id, (claim) =>
    saveFailure(plaza.db, claim, {
      failed: claim.generation,
      cause: 'crash_loop',
      message: 'It ended 5 times.',
      restarts_seen: 0,
      log_id: randomUUID(),
      now: plaza.clock.now(),
      details: { message: 'It ended 5 times.', cause: 'crash_loop', exit_code: 1, tail: ['no such file'] },
    }),
  )

/** Sends a change or a roll back without waiting for a worker. */
export function sendChange(
  plaza: TestService,
  app: SomeHostingApp,
  id: string,
  { body, path = '', method = 'PATCH' }: { body: unknown; path?: string; method?: string },
) {
  return withoutWaiting(plaza, id, () => sendAs(plaza, app, method, `/${id}${path}`, body))
}

/** Everything that a refused change of a deployment must not affect. */
export const stateOfRelease = async ({ db }: TestService, id: string) =>
  (
    await db.sql`
      select (select to_jsonb(d) - 'domain_checked_at' from deployments d where id = ${id}) as row,
             (select count(*) from deploy_releases where deployment_id = ${id}) as releases,
             (select count(*) from deploy_logs where deployment_id = ${id}) as entries,
             (select count(*) from transfers) as transfers`
  )[0]
