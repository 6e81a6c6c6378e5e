import type { Tx } from '../platform/postgres/database.ts'
import { deleteSandboxRows } from './leaving.store.ts'

/** Deletes the data that only a sandbox stores about a person. */
export const leaveSandbox = (tx: Tx, user_id: string, email: string) => deleteSandboxRows(tx, user_id, email)
