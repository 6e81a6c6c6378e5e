import type { ConnectionConfig } from '../postgres/connection.ts'
import type { Tx } from '../postgres/database.ts'
import { openListener } from '../postgres/listener.ts'
import type { Logger } from '../log.ts'

/**
 * Notifies every process of changes that make cached values invalid. Tags name the values. The changing transaction sends the message, so
 * that it is neither early nor lost. The publishing process invalidates its own entries before it answers.
 */
export interface InvalidationBus {
  /** Invalidates these tags in all processes when `tx` commits, and in this one before the caller of the commit continues. */
  publish(tx: Tx, tags: readonly string[]): Promise<void>
  /** False while a message of another process might be missed. Cached values must not be used then. */
  isConnected(): boolean
  /** A number that grows with every invalidation. */
  version(): number
  /** True if any of these tags was invalidated after that version. */
  invalidatedSince(version: number, tags: readonly string[]): boolean
  close(): Promise<void>
}

export interface InvalidationBusOptions {
  connection: ConnectionConfig
  log: Logger
  /** The maximum of remembered tags. Beyond it, everything cached so far counts as invalidated. */
  tags_max?: number
}

/** Processes of earlier versions also use this name. */
const channel = 'plaza_revoked'

const publish = (tx: Tx, tags: readonly string[]) => tx.sql`select pg_notify(${channel}, ${tags.join('\n')})`

/** For a process that caches nothing and therefore need not listen. */
export const publish_only: Pick<InvalidationBus, 'publish'> = {
  async publish(tx, tags) {
    await publish(tx, tags)
  },
}

/** Opens the listening connection; resolves when it listens. A lost connection is reopened. */
export async function openInvalidationBus({
  connection,
  log,
  tags_max = 10_000,
}: InvalidationBusOptions): Promise<InvalidationBus> {
  const { version, invalidatedSince, invalidate, invalidateAll } = createInvalidationLog(tags_max)
  const listener = await openListener({
    connection,
    log,
    name: 'plaza-revocations',
    channel,
    onNotification: (payload) => invalidate(payload.split('\n')),
    // Tags that were published while the connection was lost are unknown.
    onConnected: invalidateAll,
  })
  return {
    async publish(tx, tags) {
      await publish(tx, tags)
      tx.afterCommit(() => invalidate(tags))
    },
    isConnected: listener.isListening,
    version,
    invalidatedSince,
    close: listener.close,
  }
}

/** Records the version at which each tag was last invalidated. Reads before `oldest_version` count as invalidated. */
export function createInvalidationLog(tags_max: number) {
  const versions = new Map<string, number>()
  let current = 0
  let oldest_version = 0
  const invalidateAll = () => {
    versions.clear()
    oldest_version = ++current
  }
  return {
    version: () => current,
    invalidateAll,
    invalidate(tags: readonly string[]) {
      current++
      for (const tag of tags) versions.set(tag, current)
      if (versions.size > tags_max) invalidateAll()
    },
    invalidatedSince: (version: number, tags: readonly string[]) =>
      version < oldest_version || (versions.size > 0 && tags.some((tag) => (versions.get(tag) ?? 0) > version)),
  }
}
