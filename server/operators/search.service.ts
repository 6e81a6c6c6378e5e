import { decisions } from '../../contract/decisions.ts'
import type { Database } from '../platform/postgres/database.ts'
import { findAppsByReference, findDeploymentsByName } from './search.store.ts'

const { found_max } = decisions.payment_reads

/** What all apps of a person have by this name or reference: deployments, and payments. */
export async function searchOwned({ db }: { db: Database }, owner_id: string, q: string) {
  const [deployments, payments] = await Promise.all([
    findDeploymentsByName(db.adHoc, { owner_id, q, rows_max: found_max }),
    findAppsByReference(db.adHoc, { owner_id, reference: q, rows_max: found_max }),
  ])
  return { deployments, payments }
}
