import { expect, test } from 'vitest'
import type { Sql, Tx } from '../../../platform/postgres/database.ts'
import { startTestService } from '../../../test/harness.ts'
import { listDueForCharge, listSuspendedByBilling } from '../../api/billing.store.ts'
import { listClaimsToCheck, lockVerifiedHolder } from '../../api/domains.store.ts'
import { claimDue } from './leases.store.ts'
import { listHostCapacities, unassign } from '../hosts/hosts.store.ts'
import { listRoutes } from '../../proxy/routes.store.ts'
import { findAppsOnHost, findKnown, listLive, markUnknown } from '../hosts/drift.store.ts'
import { insertDeployment, listDeploymentsOfApp, listLogNewestFirst } from '../../api/store.ts'

const plaza = await startTestService()
const { db } = plaza
const some_id = '01890000-0000-7000-8000-000000000000'

/** Inserts deployments: one in eight runs, the others are destroyed, as after years. */
const insertMany = (many: number) => db.sql`
  insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port, sealed_env,
                           memory_limit_mb, cpu_limit_millicores, status, desired, destroyed_at, next_attempt_at, inserted_at,
                           custom_domain, domain_verified_at, domain_checked_at, billing_status, paid_until)
  select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), t.id, 'c', 'i', 'site' || n, 3000, '', 128, 250,
         case n % 8 when 0 then 'running' else 'destroyed' end, case n % 8 when 0 then 'running' else 'destroyed' end,
         case n % 8 when 0 then null else now() end, 'infinity', now(),
         case when n % 16 = 0 then 'd' || n || '.example' end, case when n % 16 = 0 then now() end, now(), 'active', now()
    from generate_series(1, ${many}::integer) n, deploy_tiers t
   where t.slug = 'starter'`

/** The generic plan of the statement that `run` issues; the statement is not executed. */
async function planOf(run: (sql: Tx) => Promise<unknown>) {
  let plan = ''
  const sql: Sql['sql'] = async (strings) => {
    const text = strings.reduce((head, part, at) => `${head}$${at}${part}`)
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)
    plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    return []
  }
  await run({ sql, in_transaction: true, afterCommit: () => {} })
  return plan
}

test('frequent statements read a range of an index of deployments, however many were destroyed', async () => {
  await insertMany(20_000)
  await db.sql`
    insert into deploy_instances (deployment_id, number, host_server)
    select id, 1, 'host' || subdomain from deployments where status <> 'destroyed'`
  await db.sql`analyze deployments, deploy_instances`
  const now = new Date()
  const made = {
    id: some_id,
    app_id: some_id,
    owner_id: some_id,
    deploy_tier_id: some_id,
    container_image: 'i',
    subdomain: 's',
    port: 1,
    sealed_env: Buffer.alloc(0),
    memory_limit_mb: 1,
    cpu_limit_millicores: 1,
    custom_domain: null,
    replicas: 1,
    health_path: null,
    billing_status: null,
    suspended_by: null,
    paid_until: null,
    reserved_since: now,
    now,
  }
  const claim = { id: some_id, app_id: some_id, custom_domain: 'd.example', domain_verified_at: null }
  const plans: [index: string, run: (sql: Tx) => Promise<unknown>][] = [
    ['deployments_subdomain', (sql) => insertDeployment(sql, made)],
    ['deployments_kept_names', (sql) => insertDeployment(sql, made)],
    ['deployments_app', (sql) => listDeploymentsOfApp(sql, some_id)],
    ['deployments_live|deployments_pkey', (sql) => listRoutes(sql, { after: null, rows_max: 100 })],
    ['deployments_live|deployments_pkey', (sql) => listLive(sql, { ids: [some_id] })],
    ['deployments_live|deployments_pkey', (sql) => findKnown(sql, [some_id])],
    ['deployments_app|deploy_instances_host', (sql) => findAppsOnHost(sql, 'a', [some_id])],
    ['deploy_instances_host', (sql) => markUnknown(sql, ['a'], 100)],
    ['deployments_domain', (sql) => lockVerifiedHolder(sql, claim)],
    ['deployments_claims', (sql) => listClaimsToCheck(sql, { unproved_since: now, proved_since: now, rows_max: 200 })],
    [
      'deployments_due',
      (sql) => claimDue(sql, { owner: some_id, lease_seconds: 1, hosts: [], leased_ids: [], rows_max: 8 }),
    ],
    ['deployments_unpaid|deployments_live', (sql) => listSuspendedByBilling(sql, { after: null, rows_max: 200 })],
    [
      'deployments_paid|deployments_pkey|deployments_live',
      (sql) => listDueForCharge(sql, now, { after: null, rows_max: 200 }),
    ],
    ['deploy_instances_host', (sql) => listHostCapacities(sql, ['a'])],
    ['deploy_instances_host', (sql) => unassign(sql, ['a'], { why: 'retired', includes_running: false })],
    ['deploy_logs_deployment', (sql) => listLogNewestFirst(sql, some_id, 100)],
  ]
  for (const [index, run] of plans) {
    const plan = await planOf(run)
    expect([index, plan]).toEqual([index, expect.stringMatching(new RegExp(`Scan (Backward )?(using|on) (${index})`))])
    expect([index, plan]).toEqual([
      index,
      expect.not.stringMatching(/Seq Scan on (deployments|deploy_logs|deploy_instances)/),
    ])
  }
})
