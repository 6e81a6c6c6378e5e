import { findInviter, isVerifiedUntilCommit } from '../accounts/service.ts'
import { newId } from '../platform/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Sql, Tx } from '../platform/postgres/database.ts'
import { applyIn } from './issuing.service.ts'
import { findForgottenPeople, insertWaitingReward, takeWaitingRewards, type Reward } from './rewards.store.ts'
import { system_accounts } from './rules.ts'

/** If true, rewards wait until the address of the person is verified. */
export type RewardTime = 'when_verified' | 'at_once'

/** The points that people get for registering and for referrals. */
export interface Gifts {
  signup_points: number
  referral_points: number
}

/**
 * The person who invites with a referral code, and the points for both (D-164); undefined for an unknown code or a
 * suspended person's.
 */
export async function findInvitation(db: Sql, { signup_points, referral_points }: Gifts, code: string) {
  const inviter = await findInviter(db, code)
  if (!inviter) return undefined
  const { username, display_name, signup_multiplier } = inviter
  return { username, display_name, reward: referral_points * signup_multiplier, signup_points }
}
export type Invitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>

/**
 * Gives a person a reward inside the caller's transaction, which ensures that it is given once: pays it, or records it
 * until the address is verified (D-116). Returns whether the person gets it: an account at its limit gets nothing
 * (D-78), nor does a person who has left.
 */
export async function giveReward(tx: Tx, now: Date, time: RewardTime, reward: Reward) {
  if (reward.amount === 0) return false
  if (time === 'when_verified') {
    const is_verified = await isVerifiedUntilCommit(tx, reward.user_id)
    if (is_verified === undefined) return false
    if (!is_verified) {
      await insertWaitingReward(tx, reward, now)
      return true
    }
  }
  const [result] = await pay(tx, now, [reward])
  return result?.outcome === 'applied'
}

/** Pays the waiting rewards, inside the transaction that verifies the address. */
export async function payWaitingRewards(tx: Tx, now: Date, user_id: string) {
  const rewards = await takeWaitingRewards(tx, user_id)
  for (let at = 0; at < rewards.length; at += orders_max) await pay(tx, now, rewards.slice(at, at + orders_max))
}

/**
 * Pays waiting rewards of verified people, a bounded number per run, each in its own transaction. Parallel runs pay
 * each reward once.
 */
export async function payForgottenRewards({ db, clock }: { db: Database; clock: Clock }) {
  for (const user_id of await findForgottenPeople(db, people_max))
    await db.transaction((tx) => payWaitingRewards(tx, clock(), user_id))
}

const people_max = 500
const orders_max = 500

const pay = (tx: Tx, now: Date, rewards: Reward[]) =>
  applyIn(
    tx,
    now,
    rewards.map(({ user_id, kind, amount, description }) => ({
      id: newId(),
      kind,
      from_account: kind === 'reward' ? system_accounts.rewards : system_accounts.issuance,
      to_account: user_id,
      amount,
      description: description ?? undefined,
    })),
  )
