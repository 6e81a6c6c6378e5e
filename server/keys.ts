import { countRecoverable } from './accounts/totp-secrets.store.ts'
import { totpSecrets } from './accounts/totp-secrets.service.ts'
import { accountKeys, codes_purpose } from './accounts/service.ts'
import { proofs_purpose } from './hosting/api/domains.service.ts'
import { countCustomDomains } from './hosting/api/sealing.store.ts'
import { environments, releaseEnvironments } from './hosting/api/sealing.service.ts'
import { environmentKeys } from './hosting/api/service.ts'
import type { Database, Sql } from './platform/postgres/database.ts'
import { deleteDerivedKey, storeDerivedKeys, readDerivedKeys, resealDerivedKeys } from './platform/derived-keys.ts'
import type { Logger } from './platform/log.ts'
import { backfillKeyIds, resealAll, type Resealed, type SealedRows } from './platform/sealed-rows.ts'
import { keyFingerprint } from './platform/secrets.ts'
import { registryKeySealing, sealedRegistryRoots } from './hosting/api/registry.service.ts'
import { pushKeySealing, sealedPushKeys } from './notices/devices.service.ts'
import { sealedSigningKeys, signingKeySealing } from './oauth/signing-keys.service.ts'
import { webhookKeys, webhookSecrets } from './webhooks/secrets.service.ts'
import { pluralize, joinWithAnd } from './platform/text.ts'

/** The values of SECRET_KEYS: the first signs and seals, all verify and open. */
export type Secrets = readonly [string, ...string[]]

/** Keys of retired secrets, kept to verify codes and proofs made with them. */
export interface KeptKeys {
  codes: readonly Buffer[]
  proofs: readonly Buffer[]
}

/** Values that are verified but never decrypted: their keys are kept when their secret is retired (`derived_keys`). */
const verified: Record<string, { phrase(count: number): string; count(db: Sql): Promise<number> }> = {
  [codes_purpose]: {
    phrase: (count) => `the recovery codes of ${pluralize(count, 'account')}`,
    count: countRecoverable,
  },
  [proofs_purpose]: {
    phrase: (count) => `the proofs of ${pluralize(count, 'custom domain')}`,
    count: countCustomDomains,
  },
}

const sealedRows = (db: Sql, secrets: Secrets): SealedRows[] => [
  totpSecrets(db, accountKeys(secrets)),
  environments(db, environmentKeys(secrets)),
  releaseEnvironments(db, environmentKeys(secrets)),
  webhookSecrets(db, webhookKeys(secrets)),
  sealedSigningKeys(db, signingKeySealing(secrets)),
  sealedPushKeys(db, pushKeySealing(secrets)),
  sealedRegistryRoots(db, registryKeySealing(secrets)),
]

/** Maximum values without a key id that the start tries to open; `reseal` tries all. */
const opened_at_start_max = 1_000

export interface MissingKey {
  /** Undefined for a value without a key id that no key opens; version 0.1 sealed it. */
  fingerprint: string | undefined
  /** The values that need the key: `2 two-factor secrets`. */
  needed_by: string[]
}

interface NeededKey extends MissingKey {
  fingerprint: string
}

/** The keys that stored values still need and that SECRET_KEYS lacks. A bounded number of small reads. */
async function findMissingKeys(db: Sql, secrets: Secrets): Promise<MissingKey[]> {
  const known = new Set(secrets.map((secret) => keyFingerprint(secret).toString('hex')))
  const missing = new Map<string | undefined, string[]>()
  const note = (fingerprint: string | undefined, phrase: string) =>
    missing.set(fingerprint, [...(missing.get(fingerprint) ?? []), phrase])
  for (const rows of sealedRows(db, secrets)) {
    const unreadable = await backfillKeyIds(rows, { rows_max: opened_at_start_max, batches_max: 1 })
    if (unreadable > 0) note(undefined, pluralize(unreadable, rows.noun))
    for (const key_id of await rows.keyIds()) {
      const fingerprint = key_id.toString('hex')
      if (!known.has(fingerprint)) note(fingerprint, pluralize(await rows.count(key_id), rows.noun))
    }
  }
  const { unreadable } = await readDerivedKeys(db, secrets)
  for (const key of unreadable) {
    const kind = verified[key.purpose]
    const count = (await kind?.count(db)) ?? 0
    if (kind && count > 0) note(key.sealed_under.toString('hex'), kind.phrase(count))
    else await deleteDerivedKey(db, key)
  }
  return [...missing].map(([fingerprint, needed_by]) => ({ fingerprint, needed_by: [...new Set(needed_by)] }))
}

/** Throws a `MissingKeysError` if SECRET_KEYS lacks a key that stored values still need. */
export async function refuseMissingKeys(db: Sql, secrets: Secrets) {
  const missing = await findMissingKeys(db, secrets)
  if (missing.length > 0) throw new MissingKeysError(missing)
}

/** Decrypts nothing: the names of keys are readable without any key. */
const no_secrets: Secrets = ['']

/** All keys that stored values name, whether or not SECRET_KEYS has them. Reads only. */
export async function listNeededKeys(db: Sql): Promise<NeededKey[]> {
  const needed = new Map<string, string[]>()
  const note = (key_id: Buffer, phrase: string) => {
    const fingerprint = key_id.toString('hex')
    needed.set(fingerprint, [...(needed.get(fingerprint) ?? []), phrase])
  }
  for (const rows of sealedRows(db, no_secrets))
    for (const key_id of await rows.keyIds()) note(key_id, pluralize(await rows.count(key_id), rows.noun))
  const { unreadable } = await readDerivedKeys(db, no_secrets)
  for (const { purpose, sealed_under } of unreadable) {
    const count = (await verified[purpose]?.count(db)) ?? 0
    if (count > 0) note(sealed_under, verified[purpose]!.phrase(count))
  }
  return [...needed].map(([fingerprint, needed_by]) => ({ fingerprint, needed_by: [...new Set(needed_by)] }))
}

const first_id = '00000000-0000-0000-0000-000000000000'

/**
 * The keys that stored values need, and those available, by their fingerprints. Reads only. `unnamed` values were
 * sealed by version 0.1 and do not name their key yet.
 */
export async function inspectKeys(db: Database, secrets: Secrets) {
  let unnamed = 0
  for (const rows of sealedRows(db, secrets)) unnamed += (await rows.list(null, first_id, opened_at_start_max)).length
  return {
    had: secrets.map((secret) => keyFingerprint(secret).toString('hex')),
    needed: await listNeededKeys(db),
    unnamed,
  }
}

/** SECRET_KEYS lacks a key that stored values still need; the message names both and the remedy. */
class MissingKeysError extends Error {
  constructor(missing: readonly MissingKey[]) {
    super(`${missing.map(sentenceOf).join('\n')}\n${what_to_do}`)
    this.name = 'MissingKeysError'
  }
}

const sentenceOf = ({ fingerprint, needed_by }: MissingKey) =>
  fingerprint === undefined
    ? `No key in SECRET_KEYS opens ${joinWithAnd(needed_by)} that version 0.1 sealed.`
    : `SECRET_KEYS lacks the key ${fingerprint}, which ${joinWithAnd(needed_by)} still need.`

const what_to_do =
  'Put the key back into SECRET_KEYS, behind the first one. To retire a key, run `npm run admin -- reseal` while ' +
  'SECRET_KEYS still holds it. If it is lost for good, MISSING_KEYS=allow starts without it (docs/keys.md says what is lost).'

/**
 * Throws a `MissingKeysError` if a key is missing, unless that is allowed. Stores the derived keys that must outlive
 * their secret, and returns those of retired secrets.
 */
export async function openKeptKeys(
  db: Database,
  secrets: Secrets,
  { allow_missing, log }: { allow_missing: boolean; log: Logger },
): Promise<KeptKeys> {
  const missing = await findMissingKeys(db, secrets)
  if (missing.length > 0 && !allow_missing) throw new MissingKeysError(missing)
  for (const key of missing) log.warn(key, 'a key is missing, and the service starts without it: MISSING_KEYS=allow')
  await storeDerivedKeys(db, secrets, Object.keys(verified))
  return keptOf(db, secrets)
}

/** The stored keys whose secret is retired; the others are derived from SECRET_KEYS. */
async function keptOf(db: Database, secrets: Secrets): Promise<KeptKeys> {
  const in_use = secrets.map(keyFingerprint)
  const { readable } = await readDerivedKeys(db, secrets)
  const ofPurpose = (purpose: string) =>
    readable.flatMap(({ key, key_id, purpose: its }) =>
      its === purpose && !in_use.some((id) => id.equals(key_id)) ? [key] : [],
    )
  return { codes: ofPurpose(codes_purpose), proofs: ofPurpose(proofs_purpose) }
}

/**
 * Seals all stored values with the first secret (`npm run admin -- reseal`), while the service may be running. Can be
 * interrupted and repeated. `print` gets lines for the operator. Returns true if no other key is needed now.
 */
export async function resealEverything(db: Database, secrets: Secrets, print: (line: string) => void) {
  const first = keyFingerprint(secrets[0])
  print(`Sealing under ${first.toString('hex')}, the first key of SECRET_KEYS.`)
  await storeDerivedKeys(db, secrets, Object.keys(verified))
  print(`kept keys of codes and domain proofs: ${describe(await resealDerivedKeys(db, secrets))}`)
  for (const rows of sealedRows(db, secrets)) {
    let reported = 0
    const total = await resealAll(rows, first, ({ resealed }) => {
      if (resealed - reported < report_every) return
      reported = resealed
      print(`${rows.noun}s: ${resealed} so far`)
    })
    print(`${rows.noun}s: ${describe(total)}`)
  }
  const still = await findMissingKeys(db, [secrets[0]])
  for (const key of still) print(sentenceOf(key))
  print(
    still.length === 0
      ? `Nothing needs a key other than ${first.toString('hex')} any more.`
      : 'Not everything is under the first key yet.',
  )
  return still.length === 0
}

const report_every = 1_000

const describe = ({ resealed, unreadable, skipped }: Resealed) =>
  [
    `${resealed} sealed again`,
    ...(unreadable > 0 ? [`${unreadable} that no given key opens`] : []),
    ...(skipped > 0 ? [`${skipped} in use meanwhile: run this again`] : []),
  ].join(', ')
