import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { isDatabaseUnavailable } from '../../platform/postgres/errors.ts'
import { databaseNameOf, startTestService } from '../../test/harness.ts'
import { requestRouter, startNamedUpstream, putDeployment, routerHealth, requestHost } from '../../test/router.ts'
import { waitUntil } from '../../test/wait.ts'
import { api_and_router } from '../../test/settings.ts'

const plaza = await startTestService(api_and_router)

const isListening = async () => (await routerHealth(plaza)).listening

test('injection 14: sites are served while the database is unavailable, and changes take effect when it is back', async () => {
  const [first, second] = [await startNamedUpstream('first'), await startNamedUpstream('second')]
  const { id, host } = await putDeployment(plaza, { endpoint_port: first.port })
  const name = await databaseNameOf(plaza)
  const inside = new pg.Client({ ...inject('postgres'), database: name })
  const outside = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await Promise.all([inside.connect(), outside.connect()])
  const allow = (yes: boolean) => outside.query(`alter database ${name} with allow_connections ${yes}`)
  onTestFinished(async () => {
    await allow(true)
    await Promise.all([inside.end(), outside.end()])
  })
  const { rows } = await inside.query<{ pid: number }>('select pg_backend_pid() as pid')
  await allow(false)
  await outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2', [
    name,
    rows[0]?.pid,
  ])
  // The database is really unreachable.
  await waitUntil(async () => !(await isListening()))
  await waitUntil(async () => isDatabaseUnavailable(await plaza.db.sql`select 1`.catch((error: unknown) => error)))

  expect((await requestHost(plaza, host)).body).toBe('first')
  expect((await requestHost(plaza, 'nobody.apps.localhost')).status).toBe(404)
  expect((await requestRouter(plaza, `/ask?domain=${host}`)).status).toBe(200)
  // An unreachable target is 502 without waiting for the database.
  await first.stop()
  expect((await requestHost(plaza, host)).status).toBe(502)

  await inside.query(
    'update deploy_instances set serving_generation = 2, endpoint_port = $1 where deployment_id = $2',
    [second.port, id],
  )
  await allow(true)
  await waitUntil(async () => (await requestHost(plaza, host)).body === 'second')
  await waitUntil(isListening)
})
