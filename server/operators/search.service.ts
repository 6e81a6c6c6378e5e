import { decisions } from '../../contract/decisions.ts'
import type { Database } from '../platform/postgres/database.ts'
import { findAppsByReference, findDeploymentsByName } from './search.store.ts'

const { found_max } = decisions.payment_reads

/** Deployments with this name and payments with this reference, in all apps in which a person has a role. */
export async function searchOwned({ db }: { db: Database }, user_id: string, q: string) {
  const [deployments, payments] = await Promise.all([
    findDeploymentsByName(db.adHoc, { user_id, q, rows_max: found_max }),
    findAppsByReference(db.adHoc, { user_id, reference: q, rows_max: found_max }),
  ])
  return { deployments, payments }
}
