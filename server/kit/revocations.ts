import pg from 'pg'
import type { Tx } from './database.ts'
import type { Logger } from './log.ts'

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
  connection: pg.ClientConfig
  log: Logger
  /** Tags remembered one by one; beyond it, everything cached so far counts as revoked. */
  tags_max?: number
}

const channel = 'plaza_revoked'
const ping_ms = 1_000
const reconnect_ms = 100

/** Opens the listening connection; resolves when it listens. It is reopened whenever it is lost. */
export async function openRevocations({ connection, log, tags_max = 10_000 }: RevocationsOptions): Promise<Revocations> {
  const ledger = revocationLedger(tags_max)
  let listening = false
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  function lost(failed: pg.Client, error?: Error) {
    if (client !== failed) return
    client = undefined
    listening = false
    failed.end().catch(() => {})
    if (closed) return
    log.warn({ error: error?.message }, 'the revocation listener was lost: caches are bypassed until it is back')
    retry = setTimeout(() => void listen(), reconnect_ms)
  }

  async function listen() {
    const opened = new pg.Client({ ...connection, application_name: 'plaza-revocations', connectionTimeoutMillis: 5_000 })
    client = opened
    opened.on('error', (error) => lost(opened, error)).on('end', () => lost(opened))
    opened.on('notification', ({ payload }) => ledger.revoke((payload ?? '').split('\n')))
    try {
      await opened.connect()
      await opened.query(`listen ${channel}`)
      // What was revoked while nobody listened is not known: everything cached before now is void.
      ledger.revokeAll()
      listening = client === opened
    } catch (error) {
      lost(opened, error as Error)
    }
  }

  /** A connection that died silently is noticed by a ping that comes not back. */
  const pinger = setInterval(() => {
    const pinged = client
    if (!pinged || !listening) return
    const late = setTimeout(() => lost(pinged, new Error('no answer to a ping')), ping_ms)
    pinged.query('select 1').then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    )
  }, ping_ms)

  await listen()
  return {
    async announce(tx, tags) {
      await tx.sql`select pg_notify(${channel}, ${tags.join('\n')})`
      tx.afterCommit(() => ledger.revoke(tags))
    },
    heard: () => listening,
    moment: ledger.moment,
    revokedSince: ledger.revokedSince,
    async close() {
      closed = true
      clearInterval(pinger)
      clearTimeout(retry)
      await client?.end().catch(() => {})
    },
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
