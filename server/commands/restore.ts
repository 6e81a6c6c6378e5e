import { resolve } from 'node:path'
import { readBackupConfig, readDatabaseConfig } from '../config.ts'
import { checkFile, restoreFile } from '../backup/restore.ts'
import { pluralize } from '../platform/text.ts'
import { findSecrets } from '../secret-keys.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabaseSource } from './database.ts'

/** `restore FILE`: restores into an empty database, all or nothing. */
export const restore = defineCommand({
  parameters: ['<file>'],
  summary: 'restores a backup into an empty database, all or nothing',
  help: [
    'Stop the service first. The database is the one of the settings: an empty one of DATABASE_URL, or none yet in DATA_DIR.\n' +
      'A database that the service has created but no one has used counts as empty. SECRET_KEYS must contain the keys that the backup needs.',
    'A backup of an older version is brought up to date. - reads the standard input. A backup of a sandbox is restored with SANDBOX=on,\n' +
      'and only that.',
  ],
  async run(invocation) {
    const { env, parameters, signal, print } = invocation
    const [file = ''] = parameters
    const config = readDatabaseConfig(env)
    const secrets = await findSecrets(config, resolve(config.data_dir))
    const keys = readBackupConfig(env).allow_missing_keys ? undefined : { secrets }
    // Checked before a missing database is created.
    if (file !== '-') await checkFile(file, keys)
    return withDatabaseSource(
      invocation,
      async ({ connection, data_dir }) => {
        const { header, tables, rows, migrations } = await restoreFile({
          connection,
          file: file === '-' ? process.stdin : file,
          names: {
            file: file === '-' ? 'The standard input' : file,
            database:
              config.database_url === undefined ? `the database in ${data_dir}` : 'the database of DATABASE_URL',
          },
          keys,
          space: config,
          signal,
        })
        print(`Restored ${pluralize(tables, 'table')} and ${pluralize(rows, 'row')}, as of ${header.made_at}.`)
        if (migrations.length > 0)
          print(`The schema was brought up to date by ${pluralize(migrations.length, 'migration')}.`)
        print('Start the service.')
        return exit_codes.done
      },
      { creates: true },
    )
  },
})
