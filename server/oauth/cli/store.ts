import { purgesRowsOf } from '../../platform/erasure.ts'
import { firstRow, type Sql } from '../../platform/postgres/database.ts'

interface CliCode {
  code_hash: Buffer
  app_id: string
  user_id: string
  session_id: string
  code_challenge: string
  name: string
  expires_at: Date
}

export const insertCliCode = (db: Sql, code: CliCode) =>
  db.sql`
    insert into cli_codes (code_hash, app_id, user_id, session_id, code_challenge, name, expires_at)
    values (${code.code_hash}, ${code.app_id}, ${code.user_id}, ${code.session_id}, ${code.code_challenge}, ${code.name},
            ${code.expires_at})`

/** Consumes an unexpired code that matches the challenge: of any number of callers one gets it. */
export const consumeCliCode = (
  db: Sql,
  { code_hash, code_challenge, now }: Pick<CliCode, 'code_hash' | 'code_challenge'> & { now: Date },
) =>
  firstRow(db.sql<Omit<CliCode, 'code_hash' | 'code_challenge' | 'expires_at'> & { client_id: string }>`
    delete from cli_codes c using oauth_apps a
     where c.code_hash = ${code_hash} and c.code_challenge = ${code_challenge} and c.expires_at > ${now} and a.id = c.app_id
    returning c.app_id, c.user_id, c.session_id, c.name, a.client_id`)

export const purgeCliCodes = purgesRowsOf('cli_codes', 'expires_at', { comparison: '<=' })
