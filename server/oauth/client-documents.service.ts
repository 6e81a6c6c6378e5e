import { LRUCache } from 'lru-cache'
import { decisions } from '../../contract/decisions.ts'
import { getUser, type AccountsDeps } from '../accounts/service.ts'
import { ensureSystemUser, system_user_id } from '../accounts/system-user.service.ts'
import type { Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { RateCounter } from '../platform/rate-limit.ts'
import type { SafeFetch } from '../platform/safe-fetch.ts'
import { openAppAccount, openUserAccount } from '../points/issuing.service.ts'
import { findAppByClientId, insertApp, type AppRow } from './apps.store.ts'
import {
  isDocumentAddress,
  readDocument,
  type DocumentAddresses,
  type DocumentedApp,
} from './client-documents.rules.ts'

const bounds = decisions.client_documents

export const document_bounds = {
  timeout_ms: bounds.document_seconds * 1_000,
  bytes_max: bounds.document_bytes_max,
  redirects_max: 0,
}

export interface ClientDocuments {
  /**
   * Makes a pending app from the document at this address (D-36), for a person who opened its authorization request;
   * undefined if the client_id is no such address, or the person may not cause a fetch. Fails with
   * `client_document_unusable` or `rate_limited`.
   */
  register(user_id: string, client_id: string): Promise<AppRow | undefined>
}

interface DocumentParts {
  db: Database
  clock: Clock
  log: Logger
  counter: RateCounter
  accounts: Pick<AccountsDeps, 'clock' | 'passwords' | 'tiers'>
  addresses: DocumentAddresses
  fetch: SafeFetch
}

const failures_max = 10_000

export function openClientDocuments(parts: DocumentParts): ClientDocuments {
  const { db, clock, log, addresses, fetch } = parts
  /** Addresses that recently had no usable document. */
  const failed = new LRUCache<string, true>({
    max: failures_max,
    ttl: bounds.failure_kept_seconds * 1_000,
    perf: { now: () => clock().getTime() },
    ttlResolution: 0,
  })
  const running = new Map<string, Promise<AppRow>>()

  async function fetchDocument(user_id: string, client_id: string) {
    try {
      return readDocument(await fetch(client_id), client_id)
    } catch (error) {
      const why = (error as Error).message
      log.info({ client_id, user_id, why }, 'the document of a client cannot be used')
      failed.set(client_id, true)
      throw new Failure('client_document_unusable', { client_id, why })
    }
  }

  async function fetchAndStore(user_id: string, client_id: string) {
    try {
      return await storeApp(parts, client_id, await fetchDocument(user_id, client_id))
    } finally {
      running.delete(client_id)
    }
  }

  return {
    async register(user_id, client_id) {
      if (!isDocumentAddress(client_id, addresses)) return undefined
      const { email_verified } = await getUser(db, user_id)
      if (!email_verified) return undefined
      if (failed.has(client_id)) throw new Failure('client_document_unusable', { client_id, why: 'failed before' })
      const under_way = running.get(client_id)
      if (under_way) return under_way
      await countFetch(parts, user_id, client_id)
      const begun = running.get(client_id) ?? fetchAndStore(user_id, client_id)
      running.set(client_id, begun)
      return begun
    },
  }

  /**
   * Counts fetches by person and by host, so that nobody can make this server flood others; limits concurrent fetches.
   */
  async function countFetch({ counter }: DocumentParts, user_id: string, client_id: string) {
    const { fetches_per_person, fetches_per_host } = bounds
    const counted = [
      { key: `client documents user:${user_id}`, ...fetches_per_person },
      { key: `client documents host:${new URL(client_id).hostname}`, ...fetches_per_host },
    ]
    for (const { key, requests, seconds } of counted) {
      const { count, resets_at } = await counter.hit(key, seconds)
      const left_seconds = Math.max(1, Math.ceil((resets_at.getTime() - clock().getTime()) / 1_000))
      if (count > requests) throw new Failure('rate_limited', { key }, { retry_after_seconds: left_seconds })
    }
    if (running.size >= bounds.fetches_at_once_max)
      throw new Failure('rate_limited', { why: 'too many documents at once' }, { retry_after_seconds: 1 })
  }
}

/** Stores the app as a pending one of the system user: the person who opened the request gets no rights over it. */
async function storeApp({ db, clock, accounts }: DocumentParts, client_id: string, app: DocumentedApp) {
  const now = clock()
  await db.transaction(async (tx) => {
    if (await ensureSystemUser(accounts, tx)) await openUserAccount(tx, system_user_id)
    const nothing = { app_description: null, logo_url: null }
    const fields = { id: newId(), client_id, owner_id: system_user_id, ...app, ...nothing, require_pkce: true, now }
    const inserted = await insertApp(tx, fields, bounds.pending_max)
    if (inserted) await openAppAccount(tx, inserted.id)
  })
  const stored = await findAppByClientId(db, client_id)
  if (!stored) throw new Failure('rate_limited', { why: 'too many pending documents' }, { retry_after_seconds: 3_600 })
  return stored
}
