import { randomUUID } from 'node:crypto'
import type { PlazaClient } from '../../contract/client.ts'
import { adminListScopeRequests, approveScopeRequest } from '../../contract/admin-apps.ts'
import { createDeployment } from '../../contract/deployments.ts'
import { requestScopes } from '../../contract/oauth-apps.ts'
import type { Service } from '../../server/processes/start.ts'

/** The registry of the example's images: a setting of its service. */
export const example_registry = 'registry.example'

/** Grants an app the hosting scope: requests and approves it. */
export async function allowHosting(owner: PlazaClient, admin: PlazaClient, app_id: string) {
  await owner.result(requestScopes, { params: { id: app_id }, body: { requested_scopes: ['deploy:manage'] } })
  const { data } = await admin.result(adminListScopeRequests, { query: { status: 'pending' } })
  for (const { id } of data) await admin.result(approveScopeRequest, { params: { id } })
}

/** Inserts deployments in the states that workers would write; no container runs. Returns the id of the most complete one. */
export async function addExampleDeployments({ db }: Service, app: PlazaClient) {
  await db.sql`
    insert into container_hosts (name, kind, reachable, seen_at)
    values ('fra-1', 'docker', true, now() + interval '1 day')`
  const image = (tag: string) => `${example_registry}/stickers/shop:${tag}`
  const make = (subdomain: string, tag: string, more: { custom_domain?: string } = {}) =>
    app.result(createDeployment, { body: { subdomain, image: image(tag), tier: 'standard', ...more } })
  const [shop, broken] = [
    await make('stickers', '4.2', { custom_domain: 'stickers.example' }),
    await make('stickers-next', '5.0-beta'),
  ]
  await make('stickers-jobs', '4.2')
  await db.sql`
    update deployments set status = 'running', health_status = 'healthy', host_server = 'fra-1',
           deployed_at = now() - interval '3 days', last_health_check = now()
     where id = ${shop.id}`
  await db.sql`
    update deployments set status = 'stopped', health_status = 'crash_loop', host_server = 'fra-1', stopped_at = now()
     where id = ${broken.id}`
  await db.sql`update deploy_logs set status = 'succeeded' where deployment_id in (${shop.id}, ${broken.id})`
  const entries = [
    [shop.id, 'deploy', 'succeeded', { message: 'The container runs and its port answers.', digest: 'sha256:9f2c…' }],
    [
      shop.id,
      'restart',
      'failed',
      { message: 'It ended 5 times within 300 seconds.', cause: 'crash_loop', tail: ['Error: no DATABASE_URL'] },
    ],
  ] as const
  for (const [id, action, status, details] of entries)
    await db.sql`
      insert into deploy_logs (id, deployment_id, generation, action, status, initiated_by, details, inserted_at)
      values (${randomUUID()}, ${id}, 1, ${action}, ${status}, null, ${JSON.stringify(details)}, now())`
  return shop.id
}
