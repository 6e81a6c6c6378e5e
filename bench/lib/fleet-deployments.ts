import { environmentKeys } from '../../server/hosting/api/service.ts'
import { sealEnv } from '../../server/hosting/api/sealing.rules.ts'
import { intents_channel } from '../../server/hosting/channels.ts'
import { newId } from '../../server/platform/ids.ts'
import { waitUntil } from '../../server/test/wait.ts'
import { bench_secret, type BenchDatabase } from './world.ts'

const sleep = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000))

/** Inserts running deployments, ten per app and the same number on each host. A host's workloads answer at its port. */
export async function insertRunning({ pool }: BenchDatabase, count: number, ports: readonly number[]) {
  const hosts = ports.length
  const keys = environmentKeys([bench_secret])
  const ids = Array.from({ length: count }, () => newId())
  for (let from = 0; from < count; from += 1_000) {
    const some = ids.slice(from, from + 1_000)
    await pool.query(
      `with made as (
         insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                                  sealed_env, memory_limit_mb, cpu_limit_millicores, status, health_status, generation,
                                  serving_generation, next_attempt_at, inserted_at)
         select d.id, md5('app' || (d.n / 10))::uuid, md5('owner' || (d.n / 10))::uuid, t.id, 'plaza-' || d.id,
              'registry.test/fleet/web:1', 'fleet-' || d.n, 3000, d.env, 64, 50, 'running', 'healthy', 1, 1, 'infinity', now()
         from unnest($1::uuid[], $2::bytea[]) with ordinality as given(id, env, place),
              lateral (select given.id, given.env, given.place::integer - 1 + $3::integer as n) d, deploy_tiers t
          where t.slug = 'starter'
         returning id, substring(subdomain from 7)::integer as n
       )
       insert into deploy_instances (deployment_id, number, host_server, generation, serving_generation, endpoint_host, endpoint_port,
                                     health_status, restarts_seen)
       select id, 1, 'host' || (n % $4 + 1), 1, 1, '127.0.0.1', ($5::integer[])[n % $4 + 1], 'healthy', 0 from made`,
      [some, some.map((id) => sealEnv(keys, id, {})), from, hosts, ports],
    )
  }
  // The release of each deployment, as the API writes it.
  await pool.query(`
    insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, deploy_tier_id, memory_limit_mb,
                                 cpu_limit_millicores, port, sealed_env, served_at, inserted_at)
    select gen_random_uuid(), id, 1, 'current', true, container_image, deploy_tier_id, memory_limit_mb, cpu_limit_millicores,
           port, sealed_env, now(), now()
      from deployments`)
  await pool.query('vacuum analyze')
  return ids
}

/** Waits until no deployment is due or worked on. */
const untilSettled = ({ pool }: BenchDatabase) =>
  waitUntil(
    async () => {
      const { rows } = await pool.query(`
        select 1 from deployments
         where status <> 'destroyed' and (next_attempt_at < 'infinity' or lease_owner is not null) limit 1`)
      return rows.length === 0
    },
    'a fleet without work',
    { timeout_ms: 300_000, interval_ms: 250 },
  )

export async function restartSome(database: BenchDatabase, ids: string[]) {
  await database.pool.query(
    `with changed as (
       update deployments set generation = generation + 1, next_attempt_at = now() where id = any($1) returning id
     )
     select pg_notify('${intents_channel}', id::text) from changed`,
    [ids],
  )
  await untilSettled(database)
}

/** Removes deployments, and waits until the sweep has noticed it. */
export async function removeSome(database: BenchDatabase, ids: string[]) {
  await database.pool.query(
    `with changed as (
       update deployments set desired = 'destroyed', generation = generation + 1, next_attempt_at = now()
        where id = any($1) returning id
     )
     select pg_notify('${intents_channel}', id::text) from changed`,
    [ids],
  )
  await untilSettled(database)
  await sleep(5)
}

export async function createSome(database: BenchDatabase, ids: string[]) {
  const keys = environmentKeys([bench_secret])
  await database.pool.query(
    `with made as (
       insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                                sealed_env, memory_limit_mb, cpu_limit_millicores, next_attempt_at, inserted_at)
       select n.id, md5('new' || n.id)::uuid, md5('new' || n.id)::uuid, t.id, 'plaza-' || n.id, 'registry.test/fleet/web:1',
              'new-' || n.id, 3000, n.env, 64, 50, now(), now()
         from unnest($1::uuid[], $2::bytea[]) as n(id, env), deploy_tiers t where t.slug = 'starter'
       returning *
     ), released as (
       insert into deploy_releases (id, deployment_id, number, status, is_target, container_image, deploy_tier_id,
                                    memory_limit_mb, cpu_limit_millicores, port, sealed_env, inserted_at)
       select gen_random_uuid(), id, 1, 'pending', true, container_image, deploy_tier_id, memory_limit_mb, cpu_limit_millicores,
              port, sealed_env, now()
         from made
     )
     select pg_notify('${intents_channel}', id::text) from made`,
    [ids, ids.map((id) => sealEnv(keys, id, {}))],
  )
  await untilSettled(database)
}
