import type pg from 'pg'
import { Connection, type ConnectionConfig } from '../connection.ts'
import { DatabaseServers } from '../servers.ts'
import { send, type Sql } from '../statements.ts'

/** Text formats that do not depend on the settings of a server or a role, and no time limit. */
const settings = `
  set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0;
  set timezone = 'UTC';
  set datestyle = 'ISO, MDY';
  set intervalstyle = 'postgres';
  set extra_float_digits = 1;
  set bytea_output = 'hex';
  set client_encoding = 'UTF8';
  set row_security = off`

/** The names of the sessions of a backup and of a restore in pg_stat_activity. */
export type SessionName = 'plaza-backup' | 'plaza-restore'

/** Opens a connection for reading or writing whole tables. The signal ends it together with its transaction. */
export async function openSession(
  connection: ConnectionConfig,
  application_name: SessionName,
  signal?: AbortSignal,
): Promise<pg.Client> {
  signal?.throwIfAborted()
  const client = new Connection({ servers: new DatabaseServers(), ...connection, application_name })
  await client.connect()
  signal?.addEventListener('abort', () => client.abandon(new Error('interrupted')), { once: true })
  await client.query(settings)
  return client
}

/** The connection in the form that stores take. */
export const sqlOn = (client: pg.ClientBase): Sql => ({ sql: (strings, ...values) => send(client, strings, values) })
