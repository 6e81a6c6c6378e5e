import { purgesRowsOf } from '../../platform/erasure.ts'
import { firstValue, hasRows, json, type Sql } from '../../platform/postgres/database.ts'

/** The parameters of an authorization request, as texts. */
export type PushedParameters = Record<string, string>

interface PushedRequest {
  uri_hash: Buffer
  app_id: string
  parameters: PushedParameters
  expires_at: Date
}

export const insertPushed = (db: Sql, { uri_hash, app_id, parameters, expires_at }: PushedRequest) =>
  db.sql`
    insert into pushed_requests (uri_hash, app_id, parameters, expires_at)
    values (${uri_hash}, ${app_id}, ${json(parameters)}, ${expires_at})`

interface Lookup {
  uri_hash: Buffer
  client_id: string
  now: Date
}

/** Opens a request for a browser, and keeps it until `expires_at`; of any number of callers one gets its parameters. */
export const openPushed = (db: Sql, { uri_hash, client_id, now, expires_at }: Lookup & { expires_at: Date }) =>
  firstValue(db.sql<{ parameters: PushedParameters }>`
    update pushed_requests p set opened_at = ${now}, expires_at = ${expires_at}
      from oauth_apps a
     where p.uri_hash = ${uri_hash} and p.opened_at is null and p.expires_at > ${now}
       and a.id = p.app_id and a.client_id = ${client_id}
    returning p.parameters`)

export const findPushed = (db: Sql, { uri_hash, client_id, now }: Lookup) =>
  firstValue(db.sql<{ parameters: PushedParameters }>`
    select p.parameters from pushed_requests p join oauth_apps a on a.id = p.app_id
     where p.uri_hash = ${uri_hash} and p.expires_at > ${now} and a.client_id = ${client_id}`)

/** Consumes a request; false if it has ended: of any number of callers one gets a code for it. */
export const consumePushed = (db: Sql, uri_hash: Buffer, now: Date) =>
  hasRows(db.sql`
    delete from pushed_requests where uri_hash = ${uri_hash} and expires_at > ${now} returning 1`)

export const purgePushed = purgesRowsOf('pushed_requests', 'expires_at')
