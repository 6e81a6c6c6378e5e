import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { environmentKeys } from '../../server/hosting/api/service.ts'
import { sealEnv } from '../../server/hosting/api/sealing.rules.ts'
import { newId } from '../../server/platform/ids.ts'
import { waitUntil } from '../../server/test/wait.ts'
import { openEngines } from '../../server/test/engine/engines.ts'
import type { FixtureMode } from '../../server/test/engine/registry.ts'
import { bench_secret, seeded, startBenchService, type BenchDatabase, type Closers } from './world.ts'

const execute = promisify(execFile)
/** The number of seeded apps. The first one is for single deployments. */
const apps = 20

/**
 * Starts a Docker host with a registry and images `demo/<mode>:1` and a service with a worker for it, and seeds apps whose owners may
 * deploy.
 */
export async function openHostingWorld(closers: Closers, database: BenchDatabase, modes: readonly FixtureMode[]) {
  const engines = await openEngines()
  closers.add(engines.close)
  for (const mode of modes) await engines.push(`demo/${mode}`, '1', { mode })
  await database.pool.query(`
    update access_tokens set scopes = scopes || '{deploy:manage}' where app_id in (select id from oauth_apps);
    update grants set scopes = scopes || '{deploy:manage}';
    update oauth_apps set allowed_scopes = allowed_scopes || '{deploy:manage}',
      owner_id = ('01900000-0000-7000-8000-' || right(id::text, 12))::uuid`)
  const service = await startBenchService(closers, database, {
    ROLES: 'api,worker',
    CONTAINER_HOSTS: engines.host.spec,
    REGISTRY_CODE_HOST: engines.registry.host,
    NETWORK_RANGE: '10.244.0.0/20',
    ISOLATION: 'trusted',
  })
  const images = modes.map((mode) => `${engines.registry.host}/demo/${mode}:1`)
  await waitUntil(async () => (await count(database, 'container_hosts where reachable')) > 0, 'a container host', {
    timeout_ms: 30_000,
    interval_ms: 10,
  })
  for (const image of images) await execute('docker', ['-H', `unix://${engines.host.socket_path}`, 'pull', '-q', image])
  return { service, host: engines.host, images }
}

export async function count({ pool }: BenchDatabase, what: string) {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from ${what}`)
  return rows[0]?.count ?? 0
}

/** Inserts this many deployments of an image, and waits until all deployments run. */
export async function fillFleet(
  database: BenchDatabase,
  image: string,
  many: number,
  { memory_mb, millicores } = { memory_mb: 64, millicores: 50 },
) {
  const keys = environmentKeys([bench_secret])
  for (let n = 0; n < many; n++) {
    const id = newId()
    await database.pool.query(
      `insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                                sealed_env, memory_limit_mb, cpu_limit_millicores, next_attempt_at, inserted_at)
       select $1::uuid, a.id, a.owner_id, t.id, 'plaza-' || $1::uuid, $2, 'fleet-' || $1::uuid, 3000, $3, $5, $6, now(), now()
         from deploy_tiers t, oauth_apps a where t.slug = 'starter' and a.id = $4`,
      [id, image, sealEnv(keys, id, {}), seeded.appId(1 + (n % (apps - 1))), memory_mb, millicores],
    )
  }
  await waitUntil(
    async () => {
      if ((await count(database, 'deployments where failed_generation is not null')) > 0)
        throw new Error('a deployment of the fleet failed')
      return (await count(database, "deployments where status <> 'running'")) === 0
    },
    'a running fleet',
    { timeout_ms: 900_000, interval_ms: 1_000 },
  )
}
