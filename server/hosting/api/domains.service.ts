import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import { secondsAfter } from '../../platform/clock.ts'
import { violates } from '../../platform/postgres/database.ts'
import { forEachItem } from '../../platform/each.ts'
import { Failure } from '../../platform/failure.ts'
import type { KeyRing } from '../../platform/secrets.ts'
import type { TxtLookup } from './txt-records.ts'
import { provesOwnership, recordName, recordValue } from './domain.rules.ts'
import { listClaimsToCheck, lockVerifiedHolder, recordCheck, type Claim } from './domains.store.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'
import { notifyRoutes } from './store.ts'

const { unproved_minutes, proved_minutes } = decisions.custom_domains

export type DomainsDeps = Pick<DeploymentsDeps, 'db' | 'clock'> & {
  txt: TxtLookup
  /** The keys of the record values, the newest first. */
  proof_keys: KeyRing
}

/** The purpose of these keys. Derived keys are kept when their secret is removed. */
export const proofs_purpose = 'domain proof'

const found_max = 20
const found_text_max = 500

/** The custom domain of a deployment and the TXT record that proves it. Fails with `not_found`. */
export async function getDomain(deps: DeploymentsDeps & DomainsDeps, caller: AppActor, deployment_id: string) {
  return domainState(deps, await getClaim(deps, caller, deployment_id))
}

/**
 * Checks the TXT record now and returns the same as `getDomain` (D-61), with the records that DNS returned. Fails as
 * `getDomain`, and with `domain_taken` if another deployment's record for the same domain also exists.
 */
export async function verifyDomain(deps: DeploymentsDeps & DomainsDeps, caller: AppActor, deployment_id: string) {
  const claim = await getClaim(deps, caller, deployment_id)
  const records = await deps.txt(recordName(claim.custom_domain))
  if ((await checkClaim(deps, claim, records)) === 'taken')
    throw new Failure('domain_taken', { domain: claim.custom_domain })
  const found = records?.slice(0, found_max).map((text) => text.slice(0, found_text_max)) ?? null
  return { ...(await getDomain(deps, caller, deployment_id)), found }
}

async function getClaim(deps: DeploymentsDeps, caller: AppActor, deployment_id: string): Promise<Claim> {
  const { id, app_id, custom_domain, domain_verified_at } = await getDeployment(deps, caller, deployment_id)
  if (custom_domain === null) throw new Failure('not_found', { deployment_id, why: 'no custom domain' })
  return { id, app_id, custom_domain, domain_verified_at }
}

const domainState = ({ proof_keys }: DomainsDeps, { app_id, custom_domain, domain_verified_at }: Claim) => ({
  domain: custom_domain,
  record_name: recordName(custom_domain),
  record_value: recordValue(proof_keys[0], app_id, custom_domain),
  verified_at: domain_verified_at,
})

/**
 * Checks the TXT record of one claim and stores the result. If DNS does not answer, nothing changes. A valid record
 * takes the domain from a holder whose own record is gone.
 */
async function checkClaim(
  { db, clock, proof_keys }: DomainsDeps,
  claim: Claim,
  records: string[] | undefined,
): Promise<'taken' | 'checked'> {
  const proves = (app_id: string) =>
    records === undefined ? undefined : provesOwnership(proof_keys, app_id, claim.custom_domain, records)
  const now = clock()
  try {
    return await db.transaction(async (tx) => {
      let proved = proves(claim.app_id)
      const holder = proved ? await lockVerifiedHolder(tx, claim) : undefined
      if (holder && proves(holder.app_id)) proved = false
      else if (holder) {
        await recordCheck(tx, holder, false, now)
        await notifyRoutes(tx, holder.id)
      }
      const after = await recordCheck(tx, claim, proved, now)
      if (after && (after.domain_verified_at === null) !== (claim.domain_verified_at === null))
        await notifyRoutes(tx, claim.id)
      return holder && proved === false ? 'taken' : 'checked'
    })
  } catch (error) {
    // Another claim of the same domain was verified concurrently.
    if (violates(error, 'deployments_domain')) return 'taken'
    throw error
  }
}

const claims_max = 200
const at_once = 10

/**
 * Checks the claims that are due again (D-61). Bounded, and safe to run twice. A claim whose check fails is due again
 * after the usual interval and does not stop the others; the first error is thrown at the end.
 */
export async function checkClaims(deps: DomainsDeps) {
  const now = deps.clock()
  const claims = await listClaimsToCheck(deps.db, {
    unproved_since: secondsAfter(now, -unproved_minutes * 60),
    proved_since: secondsAfter(now, -proved_minutes * 60),
    rows_max: claims_max,
  })
  const check = async (claim: Claim) => {
    try {
      await checkClaim(deps, claim, await deps.txt(recordName(claim.custom_domain)))
    } catch (error) {
      await recordCheck(deps.db, claim, undefined, now)
      throw error
    }
  }
  const [error] = await forEachItem(claims, check, { at_once })
  if (error !== undefined) throw error as Error
}
