import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeBackup } from '../backup/take.ts'
import type { Env } from '../platform/env-reader.ts'
import { writeUnfinished } from '../platform/postgres/backup/file.ts'
import { connectionTo, newDatabase, query } from '../test/databases.ts'
import { freePort } from '../test/free-port.ts'
import { runAdmin, startMain, testDatabaseUrl, untilAnswers } from '../test/processes.ts'
import { databaseOf, marksOf, newFolder, stateOf } from '../test/spaces.ts'

const SECRET_KEYS = 'a-secret-of-the-tests-long-enough-for-the-rule'

async function backupOf(name: string, folder: string) {
  const file = join(folder, `${name}.backup`)
  const { written } = await takeBackup({ connection: connectionTo(name) }, (frames) => writeUnfinished(file, frames))
  await written.publish()
  return file
}

const refusals = {
  sandbox:
    'is a backup of a sandbox, where people give themselves points: nothing was restored. Set SANDBOX=on to restore it.',
  real: 'is a backup of the real space, and SANDBOX=on. Its people and points do not belong in a sandbox: nothing was restored.',
}

test.each([
  ['sandbox', 'real', { SANDBOX: 'on' }, {}],
  ['real', 'sandbox', {}, { SANDBOX: 'on' }],
] as const)(
  'D-102: a backup of a %s space is restored into its own space only, all or nothing, and stays what it is',
  async (space, other_space, right, wrong) => {
    const folder = await newFolder()
    const file = await backupOf(await databaseOf(space), folder)
    const restore = (name: string, env: Env) =>
      runAdmin(['restore', file], { DATABASE_URL: testDatabaseUrl(name), SECRET_KEYS, ...env })
    const target = await newDatabase()
    expect(await restore(target, wrong)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Plaza cannot do this. ${file} ${refusals[space]}\n`,
    })
    expect(
      await query(
        target,
        "select table_name from information_schema.tables where table_schema in ('public', 'graphile_worker')",
      ),
    ).toEqual([])
    expect(await restore(target, right)).toMatchObject({ code: 0, stderr: '' })
    expect(await marksOf(target)).toEqual(space === 'sandbox' ? [{ is_sandbox: true }] : [])
    expect(await runAdmin(['jobs'], { DATABASE_URL: testDatabaseUrl(target), ...wrong })).toMatchObject({ code: 1 })

    // Into a database that the other space has created, even if it has no users.
    const other = await databaseOf(other_space)
    const before = await stateOf(other)
    for (const env of [right, wrong]) expect(await restore(other, env)).toMatchObject({ code: 1, stdout: '' })
    expect(await stateOf(other)).toEqual(before)

    // A copy that is only inspected belongs to no space.
    if (space === 'real') return
    const verified = await runAdmin(['verify', file], { DATA_DIR: folder, ...wrong })
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(`${file} is good`)])
  },
)

test('D-102: a sandbox without settings keeps its database in a separate folder, and the real space is refused that folder', async () => {
  const cwd = await newFolder()
  const env: Env = { HOST: '127.0.0.1', PORT: String(await freePort()), ROLES: 'api', LOG_LEVEL: 'error' }
  const started = startMain([], { ...env, SANDBOX: 'on' }, { cwd })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  await untilAnswers(started, `http://127.0.0.1:${env.PORT}/readyz`)
  started.child.kill('SIGINT')
  await started.ended
  expect(await readdir(cwd)).toEqual(['data-sandbox'])
  const refused = await startMain([], { ...env, DATA_DIR: 'data-sandbox' }, { cwd }).ended
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `Plaza cannot start. The database in ${join(cwd, 'data-sandbox')} is a sandbox’s, where people give themselves points: the real space ` +
      'does not use it. Nothing in it was changed. Set SANDBOX=on, or let DATA_DIR name the database of the real space.\n',
  ])
  const command = await startMain(['admin', 'grant', 'nobody@people.test'], { SANDBOX: 'on' }, { cwd }).ended
  expect(command.stdout).toBe('No account has the address nobody@people.test. The person must register first.\n')
})
