import type { ConnectionConfig } from '../postgres/connection.ts'
import type { Tx } from '../postgres/database.ts'
import { openListener } from '../postgres/listener.ts'
import type { Logger } from '../log.ts'

/**
 * What ended, told to every process. A revocation names tags; whoever cached something under one of them must not use
 * it any more. The message travels with the transaction that revokes, so it can be neither early nor lost, and the
 * process that revokes forgets before it answers.
 */
export interface Revocations {
  /** Tells all processes when `tx` commits, and this one before the commit's caller goes on. */
  announce(tx: Tx, tags: readonly string[]): Promise<void>
  /** False while a revocation elsewhere might go unheard: nothing cached may be used then. */
  heard(): boolean
  /** A number that grows with every revocation. */
  moment(): number
  /** Was any of these tags revoked after that moment? */
  revokedSince(moment: number, tags: readonly string[]): boolean
  close(): Promise<void>
}

export interface RevocationsOptions {
  connection: ConnectionConfig
  log: Logger
  /** Tags remembered one by one; beyond it, everything cached so far counts as revoked. */
  tags_max?: number
}

const channel = 'plaza_revoked'

const publish = (tx: Tx, tags: readonly string[]) => tx.sql`select pg_notify(${channel}, ${tags.join('\n')})`

/** For a process that caches nothing, so that it need not listen. */
export const publish_only: Pick<Revocations, 'announce'> = {
  async announce(tx, tags) {
    await publish(tx, tags)
  },
}

/** Opens the listening connection; resolves when it listens. It is reopened whenever it is lost. */
export async function openRevocations({
  connection,
  log,
  tags_max = 10_000,
}: RevocationsOptions): Promise<Revocations> {
  const ledger = revocationLedger(tags_max)
  const listener = await openListener({
    connection,
    log,
    name: 'plaza-revocations',
    channel,
    heard: (payload) => ledger.revoke(payload.split('\n')),
    // What was revoked while nobody listened is not known: everything cached before now is void.
    connected: ledger.revokeAll,
  })
  return {
    async announce(tx, tags) {
      await publish(tx, tags)
      tx.afterCommit(() => ledger.revoke(tags))
    },
    heard: listener.listening,
    moment: ledger.moment,
    revokedSince: ledger.revokedSince,
    close: listener.close,
  }
}

/** Remembers which tags were revoked when. A moment before the floor knows nothing any more: all of it counts as revoked. */
export function revocationLedger(tags_max: number) {
  const revoked = new Map<string, number>()
  let sequence = 0
  let floor = 0
  const revokeAll = () => {
    revoked.clear()
    floor = ++sequence
  }
  return {
    moment: () => sequence,
    revokeAll,
    revoke(tags: readonly string[]) {
      sequence++
      for (const tag of tags) revoked.set(tag, sequence)
      if (revoked.size > tags_max) revokeAll()
    },
    revokedSince: (moment: number, tags: readonly string[]) =>
      moment < floor || (revoked.size > 0 && tags.some((tag) => (revoked.get(tag) ?? 0) > moment)),
  }
}
