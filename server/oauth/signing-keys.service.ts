import { exportJWK, exportPKCS8, generateKeyPair, importPKCS8, type CryptoKey, type JWK } from 'jose'
import { decisions } from '../../contract/decisions.ts'
import { isTooFarAhead, secondsAfter, type Clock } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { sealedColumn } from '../platform/sealed-column.store.ts'
import { keyIdOf, openSealed, seal, sealingKeys, type SealingKeys } from '../platform/secrets.ts'
import {
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  purgeSigningKeys,
  type SigningKeyRow,
} from './signing-keys.store.ts'

const { rotation_days, announced_seconds, id_token_seconds } = decisions.openid

export const signing_algorithm = 'RS256'

/** A process uses keys for this long before it reads them again. */
const read_again_seconds = 5
/**
 * A key stays published for this long after its last token has expired, for differing clocks and processes that read
 * late.
 */
const margin_seconds = 300

export interface SigningKey {
  kid: string
  key: CryptoKey
}

/** The keys of identity tokens (D-103). The first use makes the first key. */
export interface SigningKeys {
  /** The key that signs now. */
  current(): Promise<SigningKey>
  /** The public keys that verify, in the format of RFC 7517. */
  published(): Promise<JWK[]>
}

export interface SigningKeysDeps {
  db: Database
  clock: Clock
  keys: SealingKeys
}

/** The keys that seal private keys, derived from the service's secrets. */
export const signingKeySealing = (secrets: readonly [string, ...string[]]) => sealingKeys(secrets, 'identity tokens')

export function openSigningKeys(deps: SigningKeysDeps): SigningKeys {
  const { clock, keys } = deps
  const imported = new Map<string, Promise<CryptoKey>>()
  let latest: { rows: SigningKeyRow[]; until: Date } | undefined
  let reading: Promise<SigningKeyRow[]> | undefined
  const read = async () => {
    const rows = await readOrMake(deps)
    latest = { rows, until: secondsAfter(clock(), read_again_seconds) }
    for (const id of imported.keys()) if (!rows.some((row) => row.id === id)) imported.delete(id)
    return rows
  }
  const rowsNow = () => {
    const now = clock()
    if (latest && now < latest.until && !isTooFarAhead(latest.until, now, read_again_seconds)) return latest.rows
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  const importOnce = ({ id, sealed }: SigningKeyRow) => {
    const key = imported.get(id) ?? importPKCS8(openSealed(keys, sealed, id), signing_algorithm)
    imported.set(id, key)
    return key
  }
  return {
    async current() {
      const row = signerOf(await rowsNow(), deps)
      if (!row) throw new Error('there is no key for identity tokens')
      return { kid: row.id, key: await importOnce(row) }
    },
    published: async () => (await rowsNow()).map(({ public_jwk }) => public_jwk),
  }
}

/**
 * The last key whose signing time has come and that SECRET_KEYS opens, or the first one if a clock is behind. Undefined
 * if there is none: at first, and when the secret is lost (MISSING_KEYS=allow).
 */
function signerOf(rows: readonly SigningKeyRow[], { keys, clock }: Pick<SigningKeysDeps, 'keys' | 'clock'>) {
  const own = rows.filter(({ sealed }) => keys.some(({ id }) => id.equals(keyIdOf(sealed))))
  return own.findLast(({ signs_from }) => signs_from <= clock()) ?? own[0]
}

/** The published keys, one of which can sign. */
async function readOrMake(deps: SigningKeysDeps) {
  const { db, clock } = deps
  const rows = await listSigningKeys(db, clock())
  if (signerOf(rows, deps)) return rows
  // Before the lock: making a key may take seconds on a busy machine.
  const made = await makeKey(deps)
  return db.transaction(async (tx) => {
    await lockSigningKeys(tx)
    const others = await listSigningKeys(tx, clock())
    if (signerOf(others, deps)) return others
    const now = clock()
    await insertSigningKey(tx, { ...made, now, signs_from: now }, lastUseOf(now))
    return listSigningKeys(tx, clock())
  })
}

/** The end of publication of a key that signs until this time. */
const lastUseOf = (signs_until: Date) => secondsAfter(signs_until, id_token_seconds + margin_seconds)

interface MadeKey {
  id: string
  public_jwk: JWK
  sealed: Buffer
}

/** Makes a key that is not stored yet. */
async function makeKey({ keys }: Pick<SigningKeysDeps, 'keys'>): Promise<MadeKey> {
  const id = newId()
  const { publicKey, privateKey } = await generateKeyPair(signing_algorithm, { extractable: true })
  const public_jwk = { ...(await exportJWK(publicKey)), kid: id, alg: signing_algorithm, use: 'sig' }
  return { id, public_jwk, sealed: seal(keys, await exportPKCS8(privateKey), id) }
}

/** How a command replaces a key: as usual, or immediately because it leaked. */
export type Replacement = 'announced' | 'compromised'

/**
 * Makes the next key and returns its `kid` and when it begins to sign. `announced`: it is published before it signs, so
 * that cached key sets have it in time, and the old key stays published until its last token has expired.
 * `compromised`: it signs immediately, and the old keys are no longer published.
 */
export async function replaceSigningKey(deps: SigningKeysDeps, how: Replacement) {
  const made = await makeKey(deps)
  return deps.db.transaction(async (tx) => {
    await lockSigningKeys(tx)
    return replaceLocked(tx, deps, made, how)
  })
}

async function replaceLocked(tx: Tx, deps: SigningKeysDeps, made: MadeKey, how: Replacement) {
  const now = deps.clock()
  const signs_from = how === 'announced' ? secondsAfter(now, announced_seconds) : now
  const others_published_until = how === 'announced' ? lastUseOf(signs_from) : now
  await insertSigningKey(tx, { ...made, now, signs_from }, others_published_until)
  return { kid: made.id, signs_from }
}

/** Replaces a key that has signed for `rotation_days`, and deletes unpublished ones. Safe to repeat. */
export async function rotateSigningKeys(deps: SigningKeysDeps) {
  const { db, clock } = deps
  await db.transaction(async (tx) => {
    await lockSigningKeys(tx)
    const newest = (await listSigningKeys(tx, clock())).at(-1)
    if (newest && secondsAfter(newest.signs_from, rotation_days * 86_400) <= clock())
      await replaceLocked(tx, deps, await makeKey(deps), 'announced')
    await purgeSigningKeys(tx, clock())
  })
}

/** The private keys, for the rotation of SECRET_KEYS. */
export const sealedSigningKeys = sealedColumn({
  noun: 'identity token key',
  table: 'signing_keys',
  column: 'sealed',
  rows_at_once: 10,
})
