import { counter, histogram, level } from '../metrics/metrics.ts'

const batcher = 'the batcher: what its calls are about'

const batch_size = histogram({
  name: 'plaza_batch_size',
  help: 'Calls in a batch that was sent to the database.',
  labels: { batcher },
  bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
})

const batch_wait_seconds = histogram({
  name: 'plaza_batch_wait_seconds',
  help: 'How long the first call of a batch waited until the batch was sent.',
  labels: { batcher },
})

const batch_seconds = histogram({
  name: 'plaza_batch_seconds',
  help: 'How long a batch took, from its sending to its answer.',
  labels: { batcher },
})

const batch_queue = level({
  name: 'plaza_batch_queue',
  help: 'Calls that wait to be sent in a batch.',
  labels: { batcher },
})

const batch_held = level({
  name: 'plaza_batch_held',
  help: 'Calls that are held back because another transaction keeps a row locked that they need.',
  labels: { batcher },
})

const batch_overloaded = counter({
  name: 'plaza_batch_overloaded_total',
  help: 'Calls that were refused (503) because too many waited, or because a row stayed locked.',
  labels: { batcher },
})

export type BatcherMetrics = ReturnType<typeof batcherMetrics>

/** The series of one batcher. */
export const batcherMetrics = (name: string) => ({
  size: batch_size.with({ batcher: name }),
  wait: batch_wait_seconds.with({ batcher: name }),
  seconds: batch_seconds.with({ batcher: name }),
  queue: batch_queue.with({ batcher: name }),
  held: batch_held.with({ batcher: name }),
  overloaded: batch_overloaded.with({ batcher: name }),
})

const cache = 'the cache: `tokens` (access tokens of apps) or `sessions` (of people)'

const cache_hits = counter({
  name: 'plaza_cache_hits_total',
  help: 'Look-ups that were answered from memory.',
  labels: { cache },
})

const cache_misses = counter({
  name: 'plaza_cache_misses_total',
  help: 'Look-ups that were read from the database: not in memory, or invalidated, or the invalidation listener was not connected.',
  labels: { cache },
})

/** The series of one cache. */
export const cacheMetrics = (name: string) => ({
  hits: cache_hits.with({ cache: name }),
  misses: cache_misses.with({ cache: name }),
})
