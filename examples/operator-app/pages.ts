import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Order } from './orders.ts'

/** Markup, which a template does not escape again. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => named[character] ?? character)

/** Markup with every value escaped, except markup made by this function. */
function html(parts: TemplateStringsArray, ...values: (string | number | Markup | Markup[])[]): Markup {
  const textOf = (value: string | number | Markup) => (value instanceof Markup ? value.text : escape(String(value)))
  const written = values.map((value) => (Array.isArray(value) ? value.map(textOf).join('') : textOf(value)))
  return new Markup(String.raw({ raw: parts }, ...written))
}

export interface Visitor {
  username: string
  email: string
  tier: string
  tier_emoji: string
  points: number
  notice: string | undefined
  orders: Order[]
}

export const welcome = html`<p><a href="/sign-in">Sign in with Plaza</a></p>`

export const refusal = (why: string) =>
  html`<p>${why}</p>
    <p><a href="/">Start again</a></p>`

const orderLine = ({ reference, status, paid, returned }: Order) =>
  html`<li>
    Poster ${reference.slice(0, 8)}: ${status}, ${paid} points paid, ${returned} returned
    <form method="post" action="${status === 'ordered' ? '/ship' : '/give-back'}">
      <input type="hidden" name="reference" value="${reference}" />
      <button>${status === 'ordered' ? 'Ship it for 25 points' : 'It is scratched: return 10 points'}</button>
    </form>
  </li>`

/** Each form has its own idempotency key: sent twice, it is one purchase. */
export const shop = ({ username, email, tier, tier_emoji, points, notice, orders }: Visitor) =>
  html` <p role="status">${notice ?? ''}</p>
    <p>Signed in as <strong>${username}</strong> (${email}), ${tier} ${tier_emoji}</p>
    <p>You have <strong>${points} points</strong>.</p>
    <form method="post" action="/spend">
      <input type="hidden" name="key" value="${randomUUID()}" />
      <input type="hidden" name="amount" value="30" />
      <button>Buy a sticker for 30 points</button>
    </form>
    <form method="post" action="/order">
      <input type="hidden" name="reference" value="${randomUUID()}" />
      <button>Order a poster: 40 points are set aside until it ships</button>
    </form>
    <ul>
      ${orders.map(orderLine)}
    </ul>
    <form method="post" action="/sign-out"><button>Sign out</button></form>`

export const sendPage = (reply: FastifyReply, content: Markup) =>
  reply
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    .type('text/html; charset=utf-8')
    .send(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>Sticker shop</title>
          </head>
          <body>
            <h1>Sticker shop</h1>
            ${content}
          </body>
        </html>`.text,
    )
