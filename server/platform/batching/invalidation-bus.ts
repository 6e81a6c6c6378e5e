import type { ConnectionConfig } from '../postgres/connection.ts'
import type { Tx } from '../postgres/database.ts'
import { openListener } from '../postgres/listener.ts'
import type { Logger } from '../log.ts'

/**
 * Tells every process what has ended, so that what it cached of it is not used any more. What is invalidated is named by
 * tags. The message is sent by the transaction that ends the thing: it is neither early nor lost. The process that
 * publishes invalidates its own entries before it answers.
 */
export interface InvalidationBus {
  /** Invalidates these tags in all processes when `tx` commits, and in this one before the commit's caller goes on. */
  publish(tx: Tx, tags: readonly string[]): Promise<void>
  /** False while a message of another process might be missed: nothing cached may be used then. */
  isConnected(): boolean
  /** A number that grows with every invalidation. */
  version(): number
  /** Was any of these tags invalidated after that version? */
  invalidatedSince(version: number, tags: readonly string[]): boolean
  close(): Promise<void>
}

export interface InvalidationBusOptions {
  connection: ConnectionConfig
  log: Logger
  /** Tags remembered one by one; beyond it, everything cached so far counts as invalidated. */
  tags_max?: number
}

/** Processes of earlier versions use this name too. */
const channel = 'plaza_revoked'

const publish = (tx: Tx, tags: readonly string[]) => tx.sql`select pg_notify(${channel}, ${tags.join('\n')})`

/** For a process that caches nothing, so that it need not listen. */
export const publish_only: Pick<InvalidationBus, 'publish'> = {
  async publish(tx, tags) {
    await publish(tx, tags)
  },
}

/** Opens the listening connection; resolves when it listens. It is reopened whenever it is lost. */
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

/** Remembers at which version each tag was last invalidated. Reads before `oldest_version` count as invalidated. */
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
