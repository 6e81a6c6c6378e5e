import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Clock } from '../kit/clock.ts'
import { secondsAfter } from '../kit/clock.ts'
import type { Database, Sql, Tx } from '../kit/database.ts'
import { Failure } from '../kit/failure.ts'
import { sha256 } from '../kit/secrets.ts'
import { prefixes } from './rules.ts'
import { listConnections, removeConnection, removeConnections, revokeGrants, voidCodes } from './store.ts'
import { findAccessToken, forgetOver, stampUses, wipeSuccessors, type Use } from './token.store.ts'

export interface OAuthDeps {
  db: Database
  clock: Clock
  /** The authorization server's identifier, equal to the public URL. */
  issuer: string
  lifetimes: Lifetimes
  heartbeat_seconds: number
  uses: Uses
}

export interface Lifetimes {
  access_token_seconds: number
  refresh_token_seconds: number
  session_token_seconds: number
}

/** Who an access token acts for and with what. Fails with `invalid_token`. */
export async function authenticateApp({ db, clock }: OAuthDeps, token: string): Promise<AppCaller> {
  if (!token.startsWith(prefixes.access_token)) throw new Failure('invalid_token', { why: 'not an access token' })
  const found = await findAccessToken(db, sha256(token))
  if (!found?.live || found.expires_at <= clock())
    throw new Failure('invalid_token', { why: found ? (found.live ? 'expired' : 'revoked') : 'unknown' })
  const { user_id, app_id, grant_id, scopes } = found
  return { user_id, app_id, grant_id, scopes }
}

/** Remembers which grants were used, so that a read need not write: noted in memory, written together now and then. */
export interface Uses {
  note(caller: AppCaller): void
  /** The last use of a grant that is not written yet. */
  pending(grant_id: string): Date | undefined
  flush(): Promise<void>
}

/** Uses in memory before they are written even though the time has not come. */
const uses_max = 10_000

export function openUses(db: Database, clock: Clock): Uses {
  let uses = new Map<string, Use>()
  async function flush() {
    const written = uses
    if (written.size === 0) return
    uses = new Map()
    await stampUses(db, [...written.values()])
  }
  return {
    note({ grant_id, user_id, app_id }) {
      uses.set(grant_id, { grant_id, user_id, app_id, at: clock() })
      // A lost stamp is a late heartbeat, not an error of the call that happened to fill the map.
      if (uses.size >= uses_max) void flush().catch(() => {})
    },
    pending: (grant_id) => uses.get(grant_id)?.at,
    flush,
  }
}

/** The apps that a user has let in. */
export const connectedApps = ({ db }: Pick<OAuthDeps, 'db'>, user_id: string) => listConnections(db, user_id)

/** Disconnects an app: its pending codes, tokens and sessions for this user stop at once. Fails with `not_found`. */
export function disconnect({ db, clock }: OAuthDeps, user_id: string, app_id: string) {
  return db.transaction(async (tx) => {
    const now = clock()
    if (!(await removeConnection(tx, user_id, app_id, now))) throw new Failure('not_found')
    // Codes first: one that is being redeemed right now holds its row, and its grant is there for the next statement.
    await voidCodes(tx, user_id, app_id)
    await revokeGrants(tx, user_id, app_id, now)
  })
}

/** Ends all that any app holds for a user (D-40). */
export async function withdrawAllAccess(tx: Tx, user_id: string, now: Date) {
  await voidCodes(tx, user_id, null)
  await revokeGrants(tx, user_id, null, now)
  await removeConnections(tx, user_id, now)
}

/** Voids the codes that a user's apps have not redeemed yet. */
export const withdrawPendingCodes = (tx: Tx, user_id: string) => voidCodes(tx, user_id, null)

/** Deletes codes and tokens that are over and wipes successors that nobody may replay; bounded, safe to repeat. */
export async function forgetWhatIsOver({ db, clock }: { db: Sql; clock: Clock }, { rows_max }: { rows_max: number }) {
  const now = clock()
  await wipeSuccessors(db, { before: secondsAfter(now, -decisions['D-26'].value.replay_seconds), rows_max })
  return forgetOver(db, { now, rows_max })
}
