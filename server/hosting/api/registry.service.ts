import { importPKCS8, SignJWT, type CryptoKey } from 'jose'
import type { ClientCaller } from '../../../contract/caller.ts'
import type { QueryOf, ResponseOf } from '../../../contract/endpoint.ts'
import type { getRegistryToken } from '../../../contract/registry.ts'
import { isTooFarAhead, secondsAfter, type Clock } from '../../platform/clock.ts'
import { Failure } from '../../platform/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { sealedColumn } from '../../platform/sealed-column.store.ts'
import { openSealed, seal, sealingKeys, type SealingKeys } from '../../platform/secrets.ts'
import { makeCertificate, toX5c, type Certified } from './registry-certificates.ts'
import { findRoot, lockRoots, replaceRoots, type RegistryRootRow } from './registry-roots.store.ts'
import { allowedAccess, type RegistryUser } from './registry.rules.ts'
import type { Registries } from './image.rules.ts'

const token_seconds = 300
/** The clock of the registry's machine may differ by this much. */
const skew_seconds = 60
const root_days = 7_300
/** Fixed, so that a root that was created while a clock was ahead is valid immediately after the clock is corrected. */
const root_valid_from = new Date('2000-01-01')
/** The lifetime of a process's key. It is replaced after half of it. */
const key_hours = 24
const renew_seconds = key_hours * 1800
/** How long a process caches the root. */
const read_again_seconds = 5
const algorithm = 'RS256'

export interface RegistryTokensDeps {
  db: Database
  clock: Clock
  /** The issuer of tokens, as configured at the registry. */
  issuer: string
  registries: Registries
  /** Seal the private key of the root. */
  keys: SealingKeys
}

/** The keys that encrypt the root's private key, derived from the service's secrets. */
export const registryKeySealing = (secrets: readonly [string, ...string[]]) => sealingKeys(secrets, 'registry tokens')

/** The caller that replaces an app for workers, which authenticate with REGISTRY_PRIVATE_USERNAME and its password. */
export const registry_worker: ClientCaller = {
  client_id: '',
  app_id: 'worker',
  secret_id: '',
  owner_id: '',
  is_approved: true,
  allowed_scopes: ['deploy:manage'],
}

interface Signer {
  root_id: string
  key: CryptoKey
  x5c: [string]
  /** The time at which the next signer is created. */
  renew_at: Date
}

export interface RegistryTokens {
  /**
   * Issues a token for the permitted part of the requested access (D-95). Fails with `not_found` for a service other
   * than the private registry, and with `client_not_approved` or `client_lacks_scope`.
   */
  grant(caller: ClientCaller, request: QueryOf<typeof getRegistryToken>): Promise<RegistryToken>
}

type RegistryToken = ResponseOf<typeof getRegistryToken>

/**
 * Issues tokens of the private registry. The registry trusts one root certificate. Each process creates a key that the
 * root certifies and that never leaves the process, so keys change without a change at the registry.
 */
export function openRegistryTokens(deps: RegistryTokensDeps): RegistryTokens {
  const { clock, issuer, registries } = deps
  let signer: Signer | undefined
  let checked_until = new Date(0)
  let making: Promise<Signer> | undefined

  async function currentSigner() {
    const now = clock()
    const is_checked = now < checked_until && !isTooFarAhead(checked_until, now, read_again_seconds)
    if (signer && is_checked && isInFirstHalf(signer, now)) return signer
    making ??= refreshed(deps, signer).finally(() => {
      making = undefined
    })
    signer = await making
    checked_until = secondsAfter(clock(), read_again_seconds)
    return signer
  }

  return {
    async grant(caller, { service, scope = [] }) {
      if (service !== registries.private) throw new Failure('not_found', { why: 'no such registry', service })
      const user = userOf(caller)
      const { key, x5c } = await currentSigner()
      const now = clock()
      const seconds = Math.floor(now.getTime() / 1000)
      const token = await new SignJWT({ access: allowedAccess(user, [scope].flat()) })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', x5c })
        .setIssuer(issuer)
        .setSubject(user === 'worker' ? 'worker' : user.client_id)
        .setAudience(service)
        .setIssuedAt(seconds)
        .setNotBefore(seconds - skew_seconds)
        .setExpirationTime(seconds + token_seconds)
        .setJti(newId())
        .sign(key)
      return { token, access_token: token, expires_in: token_seconds, issued_at: now }
    },
  }
}

function userOf(caller: ClientCaller): RegistryUser {
  if (caller === registry_worker) return 'worker'
  const { client_id, is_approved, allowed_scopes } = caller
  if (!is_approved) throw new Failure('client_not_approved', { client_id })
  if (!allowed_scopes.includes('deploy:manage'))
    throw new Failure('client_lacks_scope', { client_id, scope: 'deploy:manage' })
  return { client_id }
}

/** False for a signer that starts in the future: it is not valid yet. */
const isInFirstHalf = ({ renew_at }: Signer, now: Date) =>
  now < renew_at && !isTooFarAhead(renew_at, now, renew_seconds)

/** The current signer. Creates a new one after half its lifetime, or if the root was replaced. */
async function refreshed(deps: RegistryTokensDeps, known: Signer | undefined): Promise<Signer> {
  const root = await readOrMakeRoot(deps)
  const now = deps.clock()
  if (known?.root_id === root.id && isInFirstHalf(known, now)) return known
  const { certificate, private_key } = await makeCertificate({
    name: 'Plaza registry tokens',
    from: secondsAfter(now, -skew_seconds),
    until: secondsAfter(now, key_hours * 3600),
    issuer: { certificate: root.certificate, private_key: openSealed(deps.keys, root.sealed, root.id) },
  })
  return {
    root_id: root.id,
    key: await importPKCS8(private_key, algorithm),
    x5c: [toX5c(certificate)],
    renew_at: secondsAfter(now, renew_seconds),
  }
}

type RootDeps = Pick<RegistryTokensDeps, 'db' | 'clock' | 'keys'>

/** The root; created at the first use. */
export async function readOrMakeRoot(deps: RootDeps): Promise<RegistryRootRow> {
  return (await findRoot(deps.db)) ?? storeRoot(deps, await makeRoot(deps), { replace: false })
}

/** Replaces the root. The registry refuses all tokens until it has the new certificate. */
export async function replaceRoot(deps: RootDeps): Promise<RegistryRootRow> {
  return storeRoot(deps, await makeRoot(deps), { replace: true })
}

function makeRoot({ clock }: Pick<RegistryTokensDeps, 'clock'>) {
  const now = clock()
  const name = `Plaza registry root ${now.toISOString().slice(0, 10)}`
  return makeCertificate({ name, from: root_valid_from, until: secondsAfter(now, root_days * 86_400) })
}

const storeRoot = (
  { db, clock, keys }: RootDeps,
  { certificate, private_key }: Certified,
  { replace }: { replace: boolean },
) =>
  db.transaction(async (tx) => {
    await lockRoots(tx)
    const other = replace ? undefined : await findRoot(tx)
    if (other) return other
    const id = newId()
    const root = { id, certificate, sealed: seal(keys, private_key, id) }
    await replaceRoots(tx, root, clock())
    return root
  })

/** The root's private key, for the rotation of SECRET_KEYS. */
export const sealedRegistryRoots = sealedColumn({
  noun: 'registry root key',
  table: 'registry_roots',
  column: 'sealed',
  rows_at_once: 10,
})
