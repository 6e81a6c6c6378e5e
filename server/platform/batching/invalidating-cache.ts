import { LRUCache } from 'lru-cache'
import { createBatcher, type Batcher } from './batcher.ts'
import type { InvalidationBus } from './invalidation-bus.ts'
import { cacheMetrics } from './metrics.ts'

export interface InvalidatingCacheOptions<Value> {
  /** The name of its content, for the metrics. */
  name: string
  bus: Pick<InvalidationBus, 'isConnected' | 'version' | 'invalidatedSince'>
  entries_max: number
  /** Reads many keys in one round trip; undefined for a key without a value. */
  load(keys: string[]): Promise<(Value | undefined)[]>
  /** The tags that invalidate this value. */
  tagsOf(key: string, value: Value): string[]
}

/**
 * `cached`: from memory if no invalidation is known. `current`: from the database, which includes changes that another
 * process made a moment ago.
 */
export type Reading = 'cached' | 'current'

export interface InvalidatingCache<Value> {
  /** The current value. With `cached`, the default, memory is used only if no invalidation can have been missed. */
  get(key: string, reading?: Reading): Promise<Value | undefined>
  /** Entries in memory, for measurements. */
  size(): number
}

interface Entry<Value> {
  value: Value
  tags: string[]
  /** The version of the bus before the value was read. */
  version: number
}

/**
 * A cache that never returns an invalidated value: an entry is used only if none of its tags was invalidated since the read began. A read
 * during an invalidation is therefore not cached either. Keys that are missing at the same time are read together.
 */
export function createInvalidatingCache<Value extends object>(
  options: InvalidatingCacheOptions<Value>,
): InvalidatingCache<Value> {
  const { name, bus, entries_max, load, tagsOf } = options
  const { hits, misses } = cacheMetrics(name)
  // Each entry counts as one: with `max`, the cache would allocate memory for all entries at its start, which takes 15 ms.
  const entries = new LRUCache<string, Entry<Value>>({ maxSize: entries_max, sizeCalculation: () => 1 })
  const read: Batcher<string, { value: Value | undefined }> = createBatcher({
    name,
    run: async (keys) => (await load(keys)).map((value) => ({ value })),
    batch_max: 512,
    queue_max: 16_384,
  })

  async function readAndStore(key: string) {
    const version = bus.version()
    const { value } = await read(key)
    if (value !== undefined) entries.set(key, { value, tags: tagsOf(key, value), version })
    return value
  }

  return {
    async get(key, reading = 'cached') {
      const entry = reading === 'cached' && bus.isConnected() ? entries.get(key) : undefined
      if (entry && !bus.invalidatedSince(entry.version, entry.tags)) {
        hits.add()
        return entry.value
      }
      misses.add()
      return bus.isConnected() ? readAndStore(key) : (await read(key)).value
    },
    size: () => entries.size,
  }
}
