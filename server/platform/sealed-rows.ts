import { setTimeout as pause } from 'node:timers/promises'
import { keyIdOf, openSealed, seal, type SealingKeys } from './secrets.ts'

/** A sealed value and the fingerprint of its key; null if the row does not name the key. */
export interface SealedRow {
  id: string
  /** The id that is authenticated with the value, unless it is the row's. */
  bound_to?: string
  sealed: Buffer
  key_id: Buffer | null
}

/** A new sealed value. It is written only if the row still has the old one. */
export interface SealedChange {
  id: string
  old: Buffer
  sealed: Buffer
}

/** All values of one kind that are sealed under the service's secrets. */
export interface SealedRows {
  /** The name of one value: `two-factor secret`. */
  noun: string
  /** All keys that rows name. Costs one index probe per key. */
  keyIds(): Promise<Buffer[]>
  count(key_id: Buffer): Promise<number>
  /** Rows of a key, or rows that name none, in order of id. */
  list(key_id: Buffer | null, after: string, rows_max: number): Promise<SealedRow[]>
  /** The fingerprint of the key that decrypts the value; undefined if none does. */
  keyOf(row: SealedRow): Buffer | undefined
  /** The value sealed under the first key; undefined if no key decrypts it. */
  reseal(row: SealedRow): Buffer | undefined
  /** Writes values and the fingerprint of their key; returns their number. Skips rows that changed or are locked. */
  replace(changes: readonly SealedChange[], key_id: Buffer): Promise<number>
  rows_at_once: number
}

/** Opens and seals values that begin with their key id and are bound to an id. */
export const sealedUnderId = (keys: SealingKeys): Pick<SealedRows, 'keyOf' | 'reseal'> => ({
  keyOf: ({ sealed }) => keys.find(({ id }) => id.equals(keyIdOf(sealed)))?.id,
  reseal({ id, bound_to = id, sealed }) {
    try {
      return seal(keys, openSealed(keys, sealed, bound_to), bound_to)
    } catch {
      return undefined
    }
  },
})

const no_id = '00000000-0000-0000-0000-000000000000'

/** Yields all rows of a key in batches; the caller may change the rows of each batch. */
async function* batchesOf(rows: SealedRows, key_id: Buffer | null, rows_max: number) {
  for (let after = no_id; ;) {
    const batch = await rows.list(key_id, after, rows_max)
    if (batch.length > 0) yield batch
    const last = batch.at(-1)
    if (!last || batch.length < rows_max) return
    after = last.id
  }
}

export interface Resealed {
  resealed: number
  /** Values that no key of SECRET_KEYS decrypts. */
  unreadable: number
  /** Values that were locked or changed at every attempt. */
  skipped: number
}

const passes_max = 20
const between_passes_ms = 250

/**
 * Seals every value under the first key, in batches that commit separately. It may be interrupted and run again at any time, even while the
 * service or another run is active. A value that changes meanwhile is not overwritten but retried.
 */
export async function resealAll(
  rows: SealedRows,
  first: Buffer,
  onProgress: (total: Resealed) => void,
): Promise<Resealed> {
  const total = { resealed: 0, unreadable: 0, skipped: 0 }
  for (let pass = 1; pass <= passes_max; pass++) {
    if (pass > 1) await pause(between_passes_ms)
    total.unreadable = 0
    total.skipped = 0
    const others = (await rows.keyIds()).filter((key_id) => !key_id.equals(first))
    for (const key_id of [null, ...others])
      for await (const batch of batchesOf(rows, key_id, rows.rows_at_once)) {
        const changes = batch.flatMap((row) => {
          const sealed = rows.reseal(row)
          return sealed ? [{ id: row.id, old: row.sealed, sealed }] : []
        })
        const replaced = changes.length > 0 ? await rows.replace(changes, first) : 0
        total.resealed += replaced
        total.unreadable += batch.length - changes.length
        total.skipped += changes.length - replaced
        onProgress(total)
      }
    if (total.skipped === 0) return total
  }
  return total
}

/**
 * Finds the keys of rows that name none by trying all keys, and stores their fingerprints, for up to `batches_max` batches.
 * Returns the number of values that no key decrypts.
 */
export async function backfillKeyIds(
  rows: SealedRows,
  { rows_max, batches_max }: { rows_max: number; batches_max: number },
) {
  let unreadable = 0
  let batches_left = batches_max
  for await (const batch of batchesOf(rows, null, rows_max)) {
    const found = new Map<string, { key_id: Buffer; changes: SealedChange[] }>()
    for (const row of batch) {
      const key_id = rows.keyOf(row)
      if (!key_id) {
        unreadable++
        continue
      }
      const same = found.get(key_id.toString('hex')) ?? { key_id, changes: [] }
      same.changes.push({ id: row.id, old: row.sealed, sealed: row.sealed })
      found.set(key_id.toString('hex'), same)
    }
    for (const { key_id, changes } of found.values()) await rows.replace(changes, key_id)
    if (--batches_left === 0) break
  }
  return unreadable
}
