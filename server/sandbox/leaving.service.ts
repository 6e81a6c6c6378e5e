import type { Tx } from '../platform/postgres/database.ts'
import { deleteSandboxRows } from './leaving.store.ts'

/** Deletes what only a sandbox stores about a person; in the real space, there is nothing. */
export const leaveSandbox = (tx: Tx, user_id: string, email: string) => deleteSandboxRows(tx, user_id, email)
