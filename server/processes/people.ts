import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { describeDatabase } from './database-source.ts'

/** Messages for the person who started the service, in addition to the log. */
export interface People {
  isReady(service?: { is_upgraded: boolean }): void
  hasStopped(): void
}

/** Writes to the standard error, so that the standard output contains only the log. Silent without `for_people`. */
export function openPeople(config: Config, for_people: boolean): People {
  const say = (text: string) => void (for_people && process.stderr.write(`${text}\n`))
  return {
    isReady: ({ is_upgraded } = { is_upgraded: false }) => say(summaryOf(config, is_upgraded)),
    hasStopped: () => say('Plaza has stopped.'),
  }
}

/** At most nine lines. */
export function summaryOf(config: Config, is_upgraded: boolean) {
  const { public_url, is_sandbox, database_url, data_dir, log_level, mail, roles } = config
  const folder = resolve(data_dir)
  const database = database_url === undefined ? folder : describeDatabase(database_url)
  const rows = [
    ...(roles.includes('api')
      ? [
          ['Console', public_url],
          ['Documentation', `${public_url}/docs`],
        ]
      : []),
    ['Data', is_upgraded ? `${database}, upgraded from an earlier version` : database],
    ['Mails', mail.smtp_url ? 'sent by the server of SMTP_URL' : `written as files into ${join(folder, 'outbox')}`],
    ['Become admin', 'register in the console, then: npm run admin -- grant YOUR_EMAIL'],
    ['Example data', 'npm run seed'],
    [
      'Log',
      log_level === 'warn'
        ? 'warnings and errors, here; LOG_LEVEL=info shows every request'
        : `on the standard output, LOG_LEVEL is ${log_level}`,
    ],
  ]
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(14)} ${value}`)
  return [`${is_sandbox ? 'The sandbox of Plaza' : 'Plaza'} is ready. Ctrl-C stops it.`, ...lines].join('\n')
}
