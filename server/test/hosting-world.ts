import { createDeployment } from '../../contract/deployments.ts'
import { insertScopeRequest, recordScopeDecision } from '../oauth/scope-requests.store.ts'
import { appTag } from '../oauth/service.ts'
import { newId } from '../platform/ids.ts'
import type { TestService } from './harness.ts'
import { givePoints, jsonCaller, someApp, someTokens, type SomeApp, type SomeTokens } from './world.ts'

/** An image that every app may run with these settings. */
export const any_image = 'public.test/library/web:1'

/** Inserts a container host as a worker would report it. By default it counts as seen for a day of the database's clock. */
export const someContainerHost = ({ db }: TestService, { seen_seconds_ago = -86_400, reachable = true } = {}) =>
  db.sql`
    insert into container_hosts (name, kind, reachable, seen_at)
    values ('somewhere', 'docker', ${reachable}, now() - make_interval(secs => ${seen_seconds_ago}))
    on conflict (name) do update set reachable = excluded.reachable, seen_at = excluded.seen_at`

export interface SomeHostingApp extends SomeApp {
  /** The owner's tokens with `deploy:manage`. */
  tokens: SomeTokens
  api: SomeTokens['api']
}

/** An app with `deploy:manage`, granted through the API, and tokens of its owner. */
export async function someHostingApp(plaza: TestService, { points = 0 } = {}): Promise<SomeHostingApp> {
  const app = await someApp(plaza, { scopes: ['profile:read'] })
  await allowHosting(plaza, app)
  if (points > 0) await givePoints(plaza, app.owner, points)
  const tokens = await someTokens(plaza, app, app.owner, ['profile:read', 'deploy:manage'])
  return { ...app, tokens, api: tokens.api }
}

/** Grants `deploy:manage` to the app, as an admin's approval of a request does. */
export const allowHosting = ({ db, service }: TestService, { id: app_id }: Pick<SomeApp, 'id'>) =>
  db.transaction(async (tx) => {
    const { clock, invalidations } = service.app.accounts
    const request = { id: newId(), app_id, requested_scopes: ['deploy:manage' as const], now: clock() }
    await insertScopeRequest(tx, request)
    await recordScopeDecision(tx, request.id, { status: 'approved', decided_by: null, reason: null, now: clock() })
    await invalidations.publish(tx, [appTag(app_id)])
  })

/** Creates a deployment through the API and sets its status; its log entry stays pending. */
export async function someDeploymentOf(
  plaza: TestService,
  { api }: Pick<SomeHostingApp, 'api'>,
  { tier = 'starter', status = 'running' } = {},
) {
  plaza.clock.advance(7)
  const { id } = await api.result(createDeployment, { body: { subdomain: freshName(), image: any_image, tier } })
  await plaza.db.sql`update deployments set status = ${status} where id = ${id}`
  return id
}

/** Sends untyped JSON about deployments as an app, within its rate limit; returns status and body. */
export function sendAs(
  plaza: TestService,
  { tokens }: Pick<SomeHostingApp, 'tokens'>,
  method: string,
  path: string,
  body?: unknown,
) {
  plaza.clock.advance(7)
  return jsonCaller(plaza, tokens.access_token)(method, `/api/deploy/apps${path}`, body)
}

/** Writes the same as a worker that has observed this status and completed the log entries. */
export async function observeStatus({ db }: TestService, id: string, status: string) {
  await db.sql`
    update deployments
       set status = ${status}, serving_generation = case when ${status} = 'running' then generation end,
           destroyed_at = case when ${status} = 'destroyed' then now() end
     where id = ${id}`
  if (status !== 'pending' && status !== 'deploying')
    await db.sql`
      update deploy_logs set status = 'succeeded', settled_at = now() where deployment_id = ${id} and status = 'pending'`
}

/** Makes calls that wait for a worker: the pending log entries of the deployment are completed immediately. */
export async function withoutWaiting<Result>({ db }: TestService, id: string, call: () => Promise<Result>) {
  const complete = () =>
    db.sql`update deploy_logs set status = 'succeeded' where deployment_id = ${id} and status = 'pending'`
  const timer = setInterval(() => void complete().catch(() => {}), 20)
  try {
    return await call()
  } finally {
    clearInterval(timer)
  }
}

/** A tier with the required settings only. */
export const minimal_tier = {
  name: 'Small',
  slug: 'small',
  payment_method: 'service_points',
  memory_limit_mb: 64,
  cpu_limit_millicores: 100,
} as const

let made = 0

/** A name that no other deployment has. */
export const freshName = () => `web-${process.pid.toString(36)}-${(++made).toString(36)}`
