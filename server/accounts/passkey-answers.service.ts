import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { enqueue } from '../platform/queue.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import { challengeIn, relyingPartyOf, requestOptions, userHandle } from './passkeys.rules.ts'
import {
  consumeChallenge,
  findPasskey,
  insertChallenge,
  listPasskeysOf,
  markCopied,
  recordPasskeyUse,
  type ChallengePurpose,
} from './passkeys.store.ts'
import type { AccountsDeps } from './service.ts'
import { checkAnswer, type PasskeyAnswer } from './webauthn.service.ts'

const { passkeys_max, challenge_seconds, copy_mail_seconds } = decisions.passkeys

/** The purpose and the person of a challenge. An answer is valid only for these. */
export interface Occasion {
  purpose: ChallengePurpose
  /** Null for a sign-in without a password. */
  user_id: string | null
  /** The login session of the request; null if nobody is signed in. */
  session_id: string | null
}

/** The relying party of this installation. Fails with `passkeys_unavailable`. */
export function getRelyingParty({ public_url }: Pick<AccountsDeps, 'public_url'>) {
  const party = relyingPartyOf(public_url)
  if (!party) throw new Failure('passkeys_unavailable')
  return party
}

/** Whether browsers support passkeys for an address. */
export const hasPasskeys = (public_url: string) => relyingPartyOf(public_url) !== undefined

/** Makes a challenge for an occasion; the database stores its hash. */
export async function newChallenge({ db, clock }: AccountsDeps, occasion: Occasion) {
  const challenge = newSecret('')
  const expires_at = secondsAfter(clock(), challenge_seconds)
  await insertChallenge(db, { ...occasion, challenge_hash: sha256(challenge), expires_at })
  return challenge
}

/**
 * Consumes the challenge that an answer names, whether or not the answer is valid. Fails with `passkey_challenge_over`
 * if the challenge was used, has expired, or was made for another occasion.
 */
export async function consumeAnswered({ db, clock }: AccountsDeps, client_data: string, occasion: Occasion) {
  const challenge = challengeIn(client_data)
  const consumed =
    challenge !== undefined &&
    (await consumeChallenge(db, { ...occasion, challenge_hash: sha256(challenge), now: clock() }))
  if (!consumed) throw new Failure('passkey_challenge_over', { ...occasion })
  return challenge
}

/**
 * The options for the browser: any passkey of this installation if no user is named, otherwise one of the user's. Fails
 * with `passkeys_unavailable`, or with `no_passkeys` if the user has none.
 */
export async function askForPasskey(deps: AccountsDeps, occasion: Occasion) {
  const party = getRelyingParty(deps)
  const { user_id, purpose } = occasion
  const passkeys = user_id === null ? [] : await listPasskeysOf(deps.db, user_id, passkeys_max)
  if (user_id !== null && passkeys.length === 0) throw new Failure('no_passkeys', { user_id })
  const challenge = await newChallenge(deps, occasion)
  return requestOptions({ party, challenge, passkeys }, needsVerification(purpose))
}

/** Only after the password may the authenticator omit to verify the person. */
const needsVerification = (purpose: ChallengePurpose) => purpose !== 'second_factor'

/**
 * Checks an authenticator's answer; writes nothing except that the challenge is consumed. Returns the passkey, which
 * identifies the user, and the counter for `countUse`. Fails with `passkeys_unavailable`, `passkey_challenge_over` or
 * `invalid_passkey`.
 */
export async function checkPasskey(deps: AccountsDeps, answer: PasskeyAnswer, occasion: Occasion) {
  const party = getRelyingParty(deps)
  const challenge = await consumeAnswered(deps, answer.response.clientDataJSON, occasion)
  const { user_id, purpose } = occasion
  const passkey = await findPasskey(deps.db, Buffer.from(answer.id, 'base64url'))
  if (!passkey) throw new Failure('invalid_passkey', { user_id, why: 'unknown' })
  if (user_id !== null && passkey.user_id !== user_id)
    throw new Failure('invalid_passkey', { user_id, why: 'it belongs to another account' })
  const { userHandle: handle } = answer.response
  // Without a named user it is required (Web Authentication Level 3, §7.2 step 6).
  if (user_id === null ? handle !== userHandle(passkey.user_id) : handle && handle !== userHandle(user_id))
    throw new Failure('invalid_passkey', { user_id: passkey.user_id, why: 'the handle names another account' })
  const { public_key } = passkey
  const result = await checkAnswer(party, { answer, challenge, public_key, verified: needsVerification(purpose) })
  if ('why' in result) throw new Failure('invalid_passkey', { user_id: passkey.user_id, why: result.why })
  return { passkey, sign_count: result.facts.sign_count }
}

/**
 * Records a checked use. Fails with `passkey_copied` if the counter did not grow, and then mails the owner, at most
 * once a day. Fails with `invalid_passkey` if the passkey was removed in the meantime.
 */
export async function countUse(
  { db, clock }: AccountsDeps,
  { passkey: { id, user_id, name }, sign_count }: Awaited<ReturnType<typeof checkPasskey>>,
) {
  const now = clock()
  if (await recordPasskeyUse(db, { id, sign_count, now })) return
  const is_there = await db.transaction(async (tx) => {
    const marked = await markCopied(tx, { id, now, mailed_before: secondsAfter(now, -copy_mail_seconds) })
    if (marked?.mail) await mailPasskeyNotice(tx, { user_id, name, event: 'copied' })
    return marked !== undefined
  })
  if (!is_there) throw new Failure('invalid_passkey', { user_id, why: 'removed meanwhile' })
  throw new Failure('passkey_copied', { user_id, passkey_id: id })
}

/** The events of passkeys and of the second factor that the owner gets a mail about. */
export type PasskeyEvent = 'added' | 'removed' | 'copied' | 'required' | 'not_required'

/** Queues the mail about an event of a passkey. */
export const mailPasskeyNotice = (
  db: Parameters<typeof enqueue>[0],
  notice: { user_id: string; name: string; event: PasskeyEvent; undo_id?: string },
) => enqueue(db, 'accounts.mail_passkey_notice', { ...notice }, { priority: 'mail' })
