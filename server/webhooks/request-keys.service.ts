import type { Clock } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import type { Database, Tx } from '../platform/postgres/database.ts'
import { openSealed, sha256, type SealingKeys } from '../platform/secrets.ts'
import { claimRequestKey, findRequest, storeAnswer, type RequestKey, type StoredRequest } from './request-keys.store.ts'

/** A call of an owner, and the Idempotency-Key that it may carry. */
export interface OwnerRequest {
  owner_id: string
  operation: string
  key: string | undefined
  /** The content that distinguishes requests with the same key. */
  request: unknown[]
}

/** The response of a change. Its secret is not stored with it, but encrypted under this id. */
export interface Made<Answer> {
  answer: Omit<Answer, 'secret'>
  secret?: { id: string; text: string }
}

export type Answered<Answer> = Answer & { replayed: boolean }

interface Deps {
  db: Database
  clock: Clock
  /** Keys that encrypt the secrets of webhooks. */
  keys: SealingKeys
}

/**
 * The first response to a call with this key; undefined if there was none. Fails with `idempotency_key_reused`, or `not_found`
 * if the secret in that response is no longer valid.
 */
export async function findAnswer<Answer extends object>(
  { db, keys }: Deps,
  { key, ...request }: OwnerRequest,
): Promise<Answered<Answer> | undefined> {
  if (key === undefined) return undefined
  const stored = await findRequest(db, { ...request, key })
  return stored && replay<Answer>(keys, stored, hashOf(request.request))
}

const hashOf = (request: unknown[]) => sha256(JSON.stringify(request))

function replay<Answer extends object>(
  keys: Deps['keys'],
  { request_hash, answer, secret_id, sealed }: StoredRequest,
  wanted_hash: Buffer,
) {
  if (!request_hash.equals(wanted_hash)) throw new Failure('idempotency_key_reused')
  if (secret_id !== null && sealed === null) throw new Failure('not_found', { secret_id })
  const secret = secret_id === null ? {} : { secret: openSealed(keys, sealed!, secret_id) }
  return { ...answer, ...secret, replayed: true } as unknown as Answered<Answer>
}

/**
 * Makes a change once per key and stores its response in the same transaction; a repetition gets the stored response. Without a key, each
 * call makes the change. Fails as `findAnswer` and the change do; a failed change leaves its key free.
 */
export function changeOnce<Answer extends object>(
  { db, clock, keys }: Deps,
  { key, request, ...owner }: OwnerRequest,
  change: (tx: Tx) => Promise<Made<Answer>>,
): Promise<Answered<Answer>> {
  return db.transaction(async (tx) => {
    const request_hash = hashOf(request)
    const request_key: RequestKey | undefined = key === undefined ? undefined : { ...owner, key }
    if (request_key && !(await claimRequestKey(tx, request_key, { request_hash, now: clock() }))) {
      const stored = await findRequest(tx, request_key)
      return replay<Answer>(keys, stored!, request_hash)
    }
    const { answer, secret } = await change(tx)
    if (request_key) await storeAnswer(tx, request_key, { answer, secret_id: secret?.id ?? null })
    return { ...answer, ...(secret && { secret: secret.text }), replayed: false } as unknown as Answered<Answer>
  })
}
