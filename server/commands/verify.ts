import { resolve } from 'node:path'
import { readDatabaseConfig } from '../config.ts'
import { describeKeys, missingOf } from '../backup/restore.ts'
import { verifyBackup } from '../backup/verify.ts'
import { openLog } from '../platform/log.ts'
import { pluralize } from '../platform/text.ts'
import { findSecrets } from '../secret-keys.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabaseSource } from './database.ts'

/** `verify FILE`: restores a backup into a temporary database and checks it. */
export const verify = defineCommand({
  parameters: ['<file>'],
  options: {
    'on-server': { summary: 'restores into a scratch database on the server of DATABASE_URL' },
  },
  summary: 'restores a backup into a scratch database, checks it, and removes it',
  help: [
    'It checks every checksum and count of the file, every index (amcheck) and the ledger. Without --on-server, it starts a\n' +
      'separate PostgreSQL in DATA_DIR and removes it afterwards; DATA_DIR needs room for the whole database.',
  ],
  async run(invocation) {
    const { env, parameters, options, signal, print, printError } = invocation
    const [file = ''] = parameters
    const config = readDatabaseConfig(env)
    const data_dir = resolve(config.data_dir)
    const log = openLog('error', { write: (line) => printError(line.trimEnd()) })
    const check = (scratch: Parameters<typeof verifyBackup>[0]['scratch']) =>
      verifyBackup({ file, scratch, log, signal })
    const { header, tables, rows, indexes, transfers } = options['on-server']
      ? await withDatabaseSource(invocation, ({ connection }) => check({ server: connection }))
      : await check({ folder: data_dir })
    print(
      `${file} is good: ${pluralize(tables, 'table')} and ${pluralize(rows, 'row')} as of ${header.made_at}, ` +
        `the ledger balances over ${pluralize(transfers, 'transfer')}, ${indexes} indexes checked.`,
    )
    if (indexes === 0)
      print('The indexes were not checked: amcheck is not available on the server, or not for this user.')
    const missing = missingOf(header, (await findSecrets(config, data_dir)) ?? [])
    if (missing.length > 0) print(`A restore needs ${describeKeys(missing)}, which SECRET_KEYS does not contain here.`)
    return exit_codes.done
  },
})
