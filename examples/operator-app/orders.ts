import { appCredentials, openPlaza, type Plaza } from '@plaza/client'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

export interface Order {
  /** Our own order number: Plaza shows it as the reference of hold, payment and refund. */
  reference: string
  user_id: string
  hold_id: string
  /** Set when the payment is captured. */
  transfer_id?: string
  status: 'ordered' | 'paid' | 'cancelled'
  /** As the webhooks tell it. */
  paid: number
  returned: number
}

interface ShopCredentials {
  plaza_url: string
  client_id: string
  client_secret: string
  /** Of the webhook that sends to `/webhooks`; without it nothing is accepted there. */
  webhook_secret?: string | undefined
}

/** What the webhook of a payment says; the reference document has every event under `webhooks`. */
interface PaymentEvent {
  id: string
  type: string
  data: { reference?: string | null; amount?: number }
}

/** Orders in memory, paid by a hold that is captured when they ship. A shop with several processes needs a database. */
export function openOrders({ plaza_url, client_id, client_secret, webhook_secret }: ShopCredentials) {
  /** Calls as the app itself: no person needs to be there. */
  const plaza = openPlaza({ url: plaza_url, credentials: appCredentials({ client_id, client_secret }) })
  const orders = new Map<string, Order>()
  const seen = new Set<string>()
  const find = (reference: string) => {
    const order = orders.get(reference)
    if (!order) throw new Error(`there is no order ${reference}`)
    return order
  }
  return {
    of: (person: string) => [...orders.values()].filter(({ user_id }) => user_id === person),

    /** Sets points of the signed-in person aside. */
    async place(api: Plaza<'token'>, { amount, reference }: { amount: number; reference: string }) {
      // The reference is the key too: an order that is sent twice is one hold.
      const { hold } = await api.createHold({ amount, reference }, { idempotency_key: reference })
      const order: Order = {
        reference,
        user_id: hold.user_id,
        hold_id: hold.id,
        status: 'ordered',
        paid: 0,
        returned: 0,
      }
      orders.set(reference, orders.get(reference) ?? order)
    },

    /** The order is on its way: takes what it cost in the end, and frees the rest. */
    async ship(reference: string, amount: number) {
      const order = find(reference)
      const { hold } = await plaza.captureHold(
        { id: order.hold_id, amount, description: 'a poster' },
        { idempotency_key: `ship ${reference}` },
      )
      if (hold.transfer_id !== null) order.transfer_id = hold.transfer_id
    },

    /** Returns a part of what was paid. */
    async giveBack(reference: string, amount: number, reason: string) {
      const { transfer_id } = find(reference)
      if (transfer_id === undefined) throw new Error(`the order ${reference} is not paid`)
      await plaza.createRefund({ transfer_id, amount, reason }, { idempotency_key: `refund ${reference} ${amount}` })
    },

    /** Takes a webhook: false where its signature is not Plaza's. Webhooks may come twice, and in any order. */
    accept(body: string, headers: Record<string, string>) {
      const event = verified(webhook_secret, body, headers)
      if (!event) return false
      if (seen.has(event.id)) return true
      seen.add(event.id)
      const order = orders.get(event.data.reference ?? '')
      if (order) apply(order, event)
      return true
    },
  }
}

function apply(order: Order, { type, data: { amount = 0 } }: PaymentEvent) {
  if (type === 'hold.captured') Object.assign(order, { status: 'paid', paid: amount })
  if (type === 'hold.released') order.status = 'cancelled'
  if (type === 'points.refunded') order.returned += amount
}

/** The event, if Plaza has signed it: checked by an ordinary verifier of Standard Webhooks. */
function verified(secret: string | undefined, body: string, headers: Record<string, string>) {
  if (secret === undefined) return undefined
  try {
    return new Webhook(secret).verify(body, headers) as PaymentEvent
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined
    throw error
  }
}
