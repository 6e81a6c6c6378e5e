import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { apiProcess, startMain, untilAnswers } from '../test/processes.ts'

const plaza = await startTestService({ ROLES: 'worker' })

/** Variables of libpq, each of which would prevent the service from reaching its database. */
const variables = {
  PGSSLMODE: 'require',
  PGHOST: 'nowhere.invalid',
  PGPORT: '1',
  PGUSER: 'nobody',
  PGPASSWORD: 'wrong',
  PGDATABASE: 'nothing',
  PGOPTIONS: '-c default_transaction_read_only=on',
  PGDATA: '/nowhere',
  PGREPLICATION: 'database',
}

const embedded = async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'plaza-variables-'))
  onTestFinished(() => rm(DATA_DIR, { recursive: true, force: true }))
  return { DATA_DIR, ROLES: 'api', HOST: '127.0.0.1', LOG_LEVEL: 'warn' }
}
const external = async () => apiProcess(await databaseNameOf(plaza), { port: 0, public_url: plaza.url })

test.each([
  ['the embedded database', embedded],
  ['DATABASE_URL', external],
])('O6: variables of libpq do not change how the service and its commands connect to %s', async (_name, settings) => {
  const port = await freePort()
  const env = { ...(await settings()), ...variables, PORT: String(port), DRAIN_SECONDS_API: '0' }
  const service = startMain([], env)
  onTestFinished(() => void service.child.kill('SIGKILL'))
  await untilAnswers(service, `http://127.0.0.1:${port}/readyz`)
  expect(await startMain(['admin', 'jobs'], env).ended).toMatchObject({ code: 0 })
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, stdout: '' })
})
