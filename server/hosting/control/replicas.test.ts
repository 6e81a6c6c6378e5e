import { expect, test } from 'vitest'
import { startTestService } from '../../test/harness.ts'
import { promoteFromHosts } from './replicas.store.ts'
import { restarts_unknown } from './restarts.rules.ts'

const plaza = await startTestService({ ROLES: 'api' })
const { db } = plaza

/** Inserts a deployment that runs with two replicas: the leading one on one host, the other one on the other. */
async function someReplicated([leading, other]: [leading: string, other: string]) {
  const [{ id } = { id: '' }] = await db.sql<{ id: string }>`
    insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                             sealed_env, memory_limit_mb, cpu_limit_millicores, status, desired, host_server,
                             serving_generation, endpoint_host, endpoint_port, restarts_seen, restart_times,
                             next_attempt_at, inserted_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), id, 'c', 'i', gen_random_uuid(), 3000, '', 512,
           250, 'running', 'running', ${leading}, 1, '10.0.0.1', 4000, 3, array[now()], 'infinity', now()
      from deploy_tiers where slug = 'starter'
    returning id`
  await db.sql`insert into deploy_scales (deployment_id, replicas, leading_replica) values (${id}, 2, 1)`
  await db.sql`
    insert into deploy_replicas (deployment_id, number, host_server, serving_generation, endpoint_host, endpoint_port, health_status)
    values (${id}, 2, ${other}, 1, '10.0.0.2', 4001, 'healthy')`
  return id
}

const leaderOf = (id: string) =>
  db.sql`
    select host_server, leading_replica, restarts_seen, restart_times, health_status
      from deployments join deploy_scales s on s.deployment_id = id where id = ${id}`

test('D-105: a replica that becomes the leading one brings no restarts of its life before: their number is unknown until it is observed', async () => {
  const id = await someReplicated(['lost', 'kept'])
  expect(await promoteFromHosts(db, ['lost'], new Date())).toMatchObject([{ id, host_server: 'lost' }])
  const leader = { host_server: 'kept', leading_replica: 2, health_status: 'healthy' }
  expect(await leaderOf(id)).toEqual([{ ...leader, restarts_seen: restarts_unknown, restart_times: [] }])
})
