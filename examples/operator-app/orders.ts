import { appCredentials, openPlaza, type Plaza } from '@plaza/client'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

export interface Order {
  /** The shop's order number: the reference of hold, payment and refund. */
  reference: string
  user_id: string
  hold_id: string
  /** Set when the payment is captured. */
  transfer_id?: string
  status: 'ordered' | 'paid' | 'cancelled'
  /** The status according to the webhooks. */
  paid: number
  returned: number
}

interface ShopCredentials {
  plaza_url: string
  client_id: string
  client_secret: string
  /** The secret of the webhook; without it, `/webhooks` accepts nothing. */
  webhook_secret?: string | undefined
}

/** The event of a payment; the OpenAPI document describes all events under `webhooks`. */
interface PaymentEvent {
  id: string
  type: string
  data: { reference?: string | null; amount?: number }
}

/** Orders in memory, paid by a hold that is captured when they ship. A shop with several processes needs a database. */
export function openOrders({ plaza_url, client_id, client_secret, webhook_secret }: ShopCredentials) {
  /** Calls as the app itself, without a signed-in person. */
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

    /** Holds points of the signed-in person. */
    async place(api: Plaza<'token'>, { amount, reference }: { amount: number; reference: string }) {
      // The reference is also the idempotency key: an order sent twice makes one hold.
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

    /** The order has shipped: captures its final price and frees the rest. */
    async ship(reference: string, amount: number) {
      const order = find(reference)
      const { hold } = await plaza.captureHold(
        { id: order.hold_id, amount, description: 'a poster' },
        { idempotency_key: `ship ${reference}` },
      )
      if (hold.transfer_id !== null) order.transfer_id = hold.transfer_id
    },

    /** Refunds a part of the payment. */
    async giveBack(reference: string, amount: number, reason: string) {
      const { transfer_id } = find(reference)
      if (transfer_id === undefined) throw new Error(`the order ${reference} is not paid`)
      await plaza.createRefund({ transfer_id, amount, reason }, { idempotency_key: `refund ${reference} ${amount}` })
    },

    /** Handles a webhook; false for an invalid signature. Webhooks may arrive twice and in any order. */
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

/** The event, if its signature is valid. Uses a Standard Webhooks library. */
function verified(secret: string | undefined, body: string, headers: Record<string, string>) {
  if (secret === undefined) return undefined
  try {
    return new Webhook(secret).verify(body, headers) as PaymentEvent
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined
    throw error
  }
}
