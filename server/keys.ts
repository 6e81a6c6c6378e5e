import { countRecoverable } from './accounts/sealing.store.ts'
import { totpSecrets } from './accounts/sealing.service.ts'
import { accountKeys, codes_purpose } from './accounts/service.ts'
import { proofs_purpose } from './hosting/api/domains.service.ts'
import { countClaims } from './hosting/api/sealing.store.ts'
import { environments } from './hosting/api/sealing.service.ts'
import { environmentKeys } from './hosting/api/service.ts'
import type { Database, Sql } from './platform/postgres/database.ts'
import { deleteDerivedKey, storeDerivedKeys, readDerivedKeys, resealDerivedKeys } from './platform/derived-keys.ts'
import type { Logger } from './platform/log.ts'
import { backfillKeyIds, resealAll, type Resealed, type SealedRows } from './platform/sealed-rows.ts'
import { keyFingerprint } from './platform/secrets.ts'
import { pluralize, joinWithAnd } from './platform/text.ts'

/** The values of SECRET_KEYS: the first signs and seals, all verify and open. */
export type Secrets = readonly [string, ...string[]]

/** Keys of retired secrets that still verify what was made with them. */
export interface KeptKeys {
  codes: readonly Buffer[]
  proofs: readonly Buffer[]
}

/** What is only verified, never opened: its keys are kept when their secret goes (`derived_keys`). */
const verified: Record<string, { phrase(count: number): string; count(db: Sql): Promise<number> }> = {
  [codes_purpose]: {
    phrase: (count) => `the recovery codes of ${pluralize(count, 'account')}`,
    count: countRecoverable,
  },
  [proofs_purpose]: { phrase: (count) => `the proofs of ${pluralize(count, 'custom domain')}`, count: countClaims },
}

const sealedRows = (db: Database, secrets: Secrets): SealedRows[] => [
  totpSecrets(db, accountKeys(secrets)),
  environments(db, environmentKeys(secrets)),
]

/** Values that name no key are tried at the start up to this many; the rest in the background. */
const tried_at_start_max = 1_000

export interface MissingKey {
  /** Undefined for what names no key and is opened by none: version 0.1 sealed it. */
  fingerprint: string | undefined
  /** What needs it: `2 two-factor secrets`. */
  needed_by: string[]
}

/** The keys that SECRET_KEYS does not hold and that something at rest still needs. A bounded number of small reads. */
async function findMissingKeys(db: Database, secrets: Secrets): Promise<MissingKey[]> {
  const known = new Set(secrets.map((secret) => keyFingerprint(secret).toString('hex')))
  const missing = new Map<string | undefined, string[]>()
  const note = (fingerprint: string | undefined, phrase: string) =>
    missing.set(fingerprint, [...(missing.get(fingerprint) ?? []), phrase])
  for (const rows of sealedRows(db, secrets)) {
    const unreadable = await backfillKeyIds(rows, { rows_max: tried_at_start_max, batches_max: 1 })
    if (unreadable > 0) note(undefined, pluralize(unreadable, rows.noun))
    for (const key_id of await rows.keyIds()) {
      const fingerprint = key_id.toString('hex')
      if (!known.has(fingerprint)) note(fingerprint, pluralize(await rows.count(key_id), rows.noun))
    }
  }
  const { lost } = await readDerivedKeys(db, secrets)
  for (const key of lost) {
    const kind = verified[key.purpose]
    const count = (await kind?.count(db)) ?? 0
    if (kind && count > 0) note(key.sealed_under.toString('hex'), kind.phrase(count))
    else await deleteDerivedKey(db, key)
  }
  return [...missing].map(([fingerprint, needed_by]) => ({ fingerprint, needed_by: [...new Set(needed_by)] }))
}

/** SECRET_KEYS lacks a key that something at rest still needs; the message names both and what to do. */
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
 * Refuses a start with a key missing (`MissingKeysError`) unless that is allowed; keeps what must outlive its secret, and
 * answers what was kept of retired ones.
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

/** Those of secrets in use are derived from them. */
async function keptOf(db: Database, secrets: Secrets): Promise<KeptKeys> {
  const in_use = secrets.map(keyFingerprint)
  const { kept } = await readDerivedKeys(db, secrets)
  const ofPurpose = (purpose: string) =>
    kept.flatMap(({ key, key_id, purpose: its }) =>
      its === purpose && !in_use.some((id) => id.equals(key_id)) ? [key] : [],
    )
  return { codes: ofPurpose(codes_purpose), proofs: ofPurpose(proofs_purpose) }
}

/**
 * Seals everything at rest under the first of the secrets (`npm run admin -- reseal`), beside the running service; safe to
 * end at any time and to repeat. `say` gets lines for the operator. True when no other key is needed any more.
 */
export async function resealEverything(db: Database, secrets: Secrets, say: (line: string) => void) {
  const first = keyFingerprint(secrets[0])
  say(`Sealing under ${first.toString('hex')}, the first key of SECRET_KEYS.`)
  await storeDerivedKeys(db, secrets, Object.keys(verified))
  say(`kept keys of codes and domain proofs: ${tellOf(await resealDerivedKeys(db, secrets))}`)
  for (const rows of sealedRows(db, secrets)) {
    let told = 0
    const total = await resealAll(rows, first, ({ resealed }) => {
      if (resealed - told < told_every) return
      told = resealed
      say(`${rows.noun}s: ${resealed} so far`)
    })
    say(`${rows.noun}s: ${tellOf(total)}`)
  }
  const still = await findMissingKeys(db, [secrets[0]])
  for (const key of still) say(sentenceOf(key))
  say(
    still.length === 0
      ? `Nothing needs a key other than ${first.toString('hex')} any more.`
      : 'Not everything is under the first key yet.',
  )
  return still.length === 0
}

const told_every = 1_000

const tellOf = ({ resealed, unreadable, skipped }: Resealed) =>
  [
    `${resealed} sealed again`,
    ...(unreadable > 0 ? [`${unreadable} that no given key opens`] : []),
    ...(skipped > 0 ? [`${skipped} in use meanwhile: run this again`] : []),
  ].join(', ')
