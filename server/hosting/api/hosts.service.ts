import type { Sql } from '../../platform/postgres/database.ts'
import { listHosts } from './hosts.store.ts'

/** The container hosts with their isolation probe results, for admins. */
export const reviewHosts = async (db: Sql) => ({ hosts: await listHosts(db) })
