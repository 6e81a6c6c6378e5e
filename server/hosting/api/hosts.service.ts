import type { Sql } from '../../platform/postgres/database.ts'
import { listHosts } from './hosts.store.ts'

/** The container hosts for admins, with what probes of their isolation found. */
export const reviewHosts = async (db: Sql) => ({ hosts: await listHosts(db) })
