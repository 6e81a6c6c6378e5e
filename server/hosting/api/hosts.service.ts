import type { Sql } from '../../platform/postgres/database.ts'
import { listHosts } from './hosts.store.ts'

/** The container hosts for admins, with the results of isolation probes. */
export const reviewHosts = async (db: Sql) => ({ hosts: await listHosts(db) })
