import { resolve } from 'node:path'
import { readBackupConfig, readDatabaseConfig } from '../config.ts'
import { describeKeys } from '../backup/restore.ts'
import { runScheduledBackup } from '../backup/scheduled.ts'
import { takeBackup, type TakenBackup } from '../backup/take.ts'
import { writeToStream, writeUnfinished } from '../platform/postgres/backup/file.ts'
import { pluralize } from '../platform/text.ts'
import { defineCommand, exit_codes, WrongUsage, type Invocation } from './command.ts'
import { withDatabaseSource } from './database.ts'

/** `backup FILE`: writes every table to one file, also while the service runs. */
export const backup = defineCommand({
  parameters: ['[file]'],
  options: {
    scheduled: { summary: 'takes a verified backup into BACKUP_DIR if one is due, as the service does automatically' },
  },
  summary: 'writes every table to one compressed file, also while the service runs',
  help: [
    'A file of this name must not exist; - writes to the standard output. The file is complete when the command ends with 0.\n' +
      'It contains no key of SECRET_KEYS, but names those that it needs: keep SECRET_KEYS elsewhere, in a safe place.',
    'It contains password hashes, addresses and messages: only its owner may read it.',
  ],
  async run(invocation) {
    const { parameters, options } = invocation
    const [file] = parameters
    if (options.scheduled) {
      if (file !== undefined) throw new WrongUsage('"backup --scheduled" takes no file.')
      return runScheduled(invocation)
    }
    if (file === undefined) throw new WrongUsage('"backup" takes <file>, or --scheduled.')
    return file === '-' ? toStandardOutput(invocation) : toFile(invocation, resolve(file))
  },
})

const toFile = (invocation: Invocation, path: string) =>
  withDatabaseSource(invocation, async ({ connection }) => {
    const { signal, print } = invocation
    const taken = await takeBackup({ connection, signal, gives_way: true }, (frames) =>
      writeUnfinished(path, frames, signal),
    )
    await taken.written.publish()
    print(`${path}: ${describe(taken)}, ${megabytes(taken.written.bytes)} compressed.`)
    for (const line of keyLines(taken)) print(line)
    return exit_codes.done
  })

const toStandardOutput = (invocation: Invocation) =>
  withDatabaseSource(invocation, async ({ connection }) => {
    const { signal, printError } = invocation
    const taken = await takeBackup({ connection, signal, gives_way: true }, (frames) =>
      writeToStream(process.stdout, frames, signal),
    )
    printError(`Standard output: ${describe(taken)}.`)
    for (const line of keyLines(taken)) printError(line)
    return exit_codes.done
  })

const describe = ({ tables, rows, bytes, header }: TakenBackup<unknown>) =>
  `${pluralize(tables, 'table')}, ${pluralize(rows, 'row')}, ${megabytes(bytes)}, of Plaza ${header.plaza_version} on PostgreSQL ${header.postgres_version}`

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** The keys that the operator must keep in addition to the file. */
function keyLines({ header: { keys, left_out } }: Pick<TakenBackup<unknown>, 'header'>): string[] {
  const lines =
    keys === null
      ? ['The schema is too old to show which keys of SECRET_KEYS it needs: keep all of them.']
      : keys.length === 0
        ? []
        : [`It needs ${describeKeys(keys)} of SECRET_KEYS, but does not contain it: keep SECRET_KEYS elsewhere.`]
  return [...lines, ...(left_out.length > 0 ? [`Not in it: ${left_out.join(', ')}.`] : [])]
}

function runScheduled(invocation: Invocation) {
  const { env, signal, print, printError } = invocation
  const { scheduled } = readBackupConfig(env)
  if (!scheduled)
    throw new Error('No backups are scheduled: set BACKUP_DIR (with DATABASE_URL), and not BACKUP_EVERY=off.')
  return withDatabaseSource(invocation, async ({ connection, log }) => {
    const outcome = await runScheduledBackup({
      connection,
      log,
      signal,
      config: scheduled,
      scratch_folder: resolve(readDatabaseConfig(env).data_dir),
      now: () => new Date(),
      gives_way: true,
    })
    if (outcome.outcome === 'failed') {
      printError(outcome.error)
      return exit_codes.not_done
    }
    print(
      {
        not_due: 'No backup is due.',
        running: 'Another process is taking a backup.',
        taken: outcome.outcome === 'taken' ? `${outcome.path}: ${pluralize(outcome.rows, 'row')}, verified.` : '',
      }[outcome.outcome],
    )
    return exit_codes.done
  })
}
