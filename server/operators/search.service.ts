import { decisions } from '../../contract/decisions.ts'
import type { Database } from '../platform/postgres/database.ts'
import { findAppsByReference, findDeploymentsByName } from './search.store.ts'

const { found_max } = decisions.payment_reads

/** Deployments with this name and payments with this reference, in all apps of a person. */
export async function searchOwned({ db }: { db: Database }, owner_id: string, q: string) {
  const [deployments, payments] = await Promise.all([
    findDeploymentsByName(db.adHoc, { owner_id, q, rows_max: found_max }),
    findAppsByReference(db.adHoc, { owner_id, reference: q, rows_max: found_max }),
  ])
  return { deployments, payments }
}
