import { sendPoints } from '../../../contract/sending.ts'
import { callApi, type InputOf } from '../../api/call.ts'
import { NetworkError } from '../../api/errors.ts'
import { invalidate } from '../../api/hooks.ts'
import { currentSession } from '../../session/session.ts'
import { browser_storage, parseStored } from '../../storage.ts'
import { t } from '../../texts.ts'
import { formatPoints } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'
import { left_payment_prefix, leftPayments } from './left-payment-key.ts'
import { points_reads } from './points-reads.ts'

/** A payment whose page was left before its response arrived: the browser may not have sent it. */
interface LeftPayment {
  user_id: string | undefined
  username: string
  left_at: number
  input: NonNullable<InputOf<typeof sendPoints>[0]>
}

/** A person who returns later than this no longer expects the payment. */
const kept_ms = 86_400_000

const keyOf = (input: LeftPayment['input']) => `${left_payment_prefix} ${input.headers?.['idempotency-key']}`

/** One entry for each payment, because several tabs may be closed at once. */
export const keepPayment = (username: string, input: LeftPayment['input']) =>
  browser_storage.set(
    keyOf(input),
    JSON.stringify({ user_id: currentSession()?.user.id, username, left_at: Date.now(), input } satisfies LeftPayment),
  )

export const forgetPayment = (input: LeftPayment['input']) => browser_storage.set(keyOf(input), undefined)

export const noteSent = (amount: number, name: string) =>
  notify(t('people.send-form.sent', { points: formatPoints(amount), name }))

/** Repeats this user's payments with the same keys: each is booked once, however often it arrives. */
export const sendLeftPayments = () => Promise.all(leftPayments().map(sendLeft))

async function sendLeft(key: string) {
  const stored = browser_storage.get(key)
  const payment = parseStored<LeftPayment>(stored)
  const is_expired = !payment || Date.now() - payment.left_at > kept_ms
  // Another user of this browser sends it at their next sign-in.
  if (!is_expired && payment.user_id !== currentSession()?.user.id) return
  browser_storage.set(key, undefined)
  if (is_expired) return
  try {
    const { amount_transferred } = await callApi(sendPoints, payment.input)
    noteSent(amount_transferred, payment.username)
    await invalidate(points_reads)
  } catch (error) {
    if (error instanceof NetworkError) browser_storage.set(key, stored)
    else notifyFailure(error as Error, payment.username)
  }
}

/** For a payment whose form is gone. */
export const notifyFailure = ({ message }: Error, name: string) =>
  notify(t('people.send-form.not-sent', { name, message }), { failed: true })
