import { sendPoints } from '../../../contract/sending.ts'
import { callApi, type InputOf } from '../../api/call.ts'
import { NetworkError } from '../../api/errors.ts'
import { invalidate } from '../../api/hooks.ts'
import { currentSession } from '../../session/session.ts'
import { browser_storage, parseStored } from '../../storage.ts'
import { t } from '../../texts.ts'
import { formatPoints } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'
import { left_payment_key } from './left-payment-key.ts'
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

const keep = (payment: LeftPayment | undefined) =>
  browser_storage.set(left_payment_key, payment && JSON.stringify(payment))

export const keepPayment = (username: string, input: LeftPayment['input']) =>
  keep({ user_id: currentSession()?.user.id, username, left_at: Date.now(), input })

export const forgetPayment = () => keep(undefined)

export const noteSent = (amount: number, name: string) =>
  notify(t('people.send-form.sent', { points: formatPoints(amount), name }))

/** Repeats this user's payment with the same key: it is booked once, however often it arrives. */
export async function sendLeftPayment() {
  const payment = parseStored<LeftPayment>(browser_storage.get(left_payment_key))
  forgetPayment()
  if (!payment || payment.user_id !== currentSession()?.user.id || Date.now() - payment.left_at > kept_ms) return
  try {
    const { amount_transferred } = await callApi(sendPoints, payment.input)
    noteSent(amount_transferred, payment.username)
    await invalidate(points_reads)
  } catch (error) {
    if (error instanceof NetworkError) keep(payment)
    else notifyFailure(error as Error, payment.username)
  }
}

/** For a payment whose form is gone. */
export const notifyFailure = ({ message }: Error, name: string) =>
  notify(t('people.send-form.not-sent', { name, message }), { failed: true })
