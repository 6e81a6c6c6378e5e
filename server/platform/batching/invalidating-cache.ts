import { LRUCache } from 'lru-cache'
import { groupCommit, type GroupCommit } from './batcher.ts'
import type { Revocations } from './invalidation-bus.ts'

export interface CoherentCacheOptions<Value> {
  revocations: Pick<Revocations, 'heard' | 'moment' | 'revokedSince'>
  entries_max: number
  /** Reads many keys in one round trip; undefined where there is nothing. */
  load(keys: string[]): Promise<(Value | undefined)[]>
  /** What, when revoked, makes this value void. */
  tagsOf(key: string, value: Value): string[]
}

export interface CoherentCache<Value> {
  /** The value as it is now: from memory only while every revocation is sure to have been heard. */
  get(key: string): Promise<Value | undefined>
  /** Entries in memory, for measurements. */
  size(): number
}

interface Entry<Value> {
  value: Value
  tags: string[]
  moment: number
}

/**
 * A cache that cannot lie: an entry is used only if none of its tags was revoked since before it was read. A read that
 * was under way during a revocation is void by the same rule. Keys that are missing at once are read together.
 */
export function coherentCache<Value extends object>(options: CoherentCacheOptions<Value>): CoherentCache<Value> {
  const { revocations, entries_max, load, tagsOf } = options
  const entries = new LRUCache<string, Entry<Value>>({ max: entries_max })
  const read: GroupCommit<string, { value: Value | undefined }> = groupCommit({
    run: async (keys) => (await load(keys)).map((value) => ({ value })),
    batch_max: 512,
    waiting_max: 16_384,
  })

  async function readAndKeep(key: string) {
    const moment = revocations.moment()
    const { value } = await read(key)
    if (value !== undefined) entries.set(key, { value, tags: tagsOf(key, value), moment })
    return value
  }

  return {
    async get(key) {
      if (!revocations.heard()) return (await read(key)).value
      const entry = entries.get(key)
      if (entry && !revocations.revokedSince(entry.moment, entry.tags)) return entry.value
      return readAndKeep(key)
    },
    size: () => entries.size,
  }
}
