// The flow of an app with the package, from sign-in to sign-out. It is compiled in a project that has only the package,
// and runs in Node and in a browser.
import {
  accessToken,
  answerOf,
  appCredentials,
  completeSignIn,
  isPlazaError,
  openPlaza,
  personCredentials,
  refreshedTokens,
  rowsOf,
  startSignIn,
  verifyWebhook,
  type PendingSignIn,
  type Plaza,
  type TokenSet,
} from '@plaza/client'

export interface Settings {
  url: string
  client_id: string
  /** The app's secret; absent in a browser. */
  client_secret?: string
  redirect_uri: string
  /** A person, for the event stream. */
  person_token: string
}

export const begin = ({ url, client_id, redirect_uri }: Settings) =>
  startSignIn({ url, client_id, redirect_uri, scope: 'profile:read points:read points:spend' })

/** Consents as the consent page does, for runs without a page. */
export async function allow({ url, person_token }: Settings, address: string): Promise<string> {
  const { searchParams } = new URL(address)
  const person = openPlaza({ url, credentials: personCredentials(person_token) })
  const query = Object.fromEntries(searchParams) as unknown as Parameters<typeof person.authorize>[0]
  const { code, redirect_uri, state, iss } = await person.authorize(query)
  const callback = new URL(redirect_uri)
  for (const [name, value] of Object.entries({ code, state, iss }))
    if (value !== undefined) callback.searchParams.set(name, value)
  return callback.href
}

/** Plays the flow from the callback on, and returns the results. */
export async function play(settings: Settings, callback: string, pending: PendingSignIn) {
  const { url, client_id, client_secret } = settings
  const saved: TokenSet[] = []
  const tokens = await completeSignIn({ callback, pending, ...(client_secret !== undefined && { client_secret }) })
  const credentials =
    client_secret === undefined
      ? accessToken(tokens.access_token)
      : refreshedTokens({
          tokens: { ...tokens, expires_at: '2020-01-01T00:00:00Z' },
          client_id,
          client_secret,
          save: (next) => void saved.push(next),
        })
  const buyer = openPlaza({ url, credentials })
  const [{ user }, { points }] = await Promise.all([buyer.getExternalUser(), buyer.getPoints()])
  const idempotency_key = crypto.getRandomValues(new Uint32Array(4)).join('-')
  const first = await answerOf(buyer.spendPoints, { amount: 3, reference: 'order 1' }, { idempotency_key })
  const again = await answerOf(buyer.spendPoints, { amount: 3, reference: 'order 1' }, { idempotency_key })
  const amounts: number[] = []
  for await (const { amount } of rowsOf(buyer.pointsHistory, { limit: 1 })) amounts.push(amount)
  return {
    username: user.username,
    points,
    refreshes: saved.length,
    spent: [first.is_replayed, again.is_replayed, again.body.points],
    refused: await refusalOf(buyer),
    amounts,
    event: await nextMessage(settings),
    balances: await nextBalance(buyer),
    webhook: await verifyOne(),
    app: client_secret === undefined ? undefined : await sell(buyer, url, { client_id, client_secret }),
  }
}

async function refusalOf(buyer: Plaza<'token'>) {
  try {
    await buyer.spendPoints({ amount: 1_000_000 })
    return undefined
  } catch (error) {
    if (!isPlazaError(error, 'insufficient_points')) throw error
    const code: 'insufficient_points' = error.code
    return [code, error.status, typeof error.request_id]
  }
}

/** A message posted while the person follows the stream. */
async function nextMessage({ url, person_token }: Settings): Promise<string | undefined> {
  const person = openPlaza({ url, credentials: personCredentials(person_token) })
  const { id: channel_id } = await person.openChannel({ type: 'table', ref_id: 'flow' })
  const on_connected = () => void person.sendMessage({ channel_id, body: 'Good evening!' })
  for await (const event of person.readEvents({ channels: channel_id }, { on_connected }))
    if (event.type === 'message') return event.data.filtered_body
  return undefined
}

/** The balance now and after a spend. */
async function nextBalance(buyer: Plaza<'token'>) {
  const balances: number[] = []
  for await (const event of buyer.readPointEvents()) {
    if (event.type !== 'balance') continue
    balances.push(event.data.points)
    if (balances.length === 2) break
    await buyer.spendPoints({ amount: 1 })
  }
  return balances
}

/** A webhook as Plaza signs it. */
async function verifyOne() {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const base64 = (data: Uint8Array) => btoa(String.fromCharCode(...data))
  const body = JSON.stringify({ id: '1', type: 'hold.released', timestamp: 'now', data: { reason: 'expired' } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`1.${timestamp}.${body}`))
  const headers = {
    'webhook-id': '1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64(new Uint8Array(signed))}`,
  }
  const event = await verifyWebhook({ body, headers, secret: `whsec_${base64(bytes)}` })
  return event.type === 'hold.released' ? event.data.reason : undefined
}

/** The calls of the app itself. */
async function sell(buyer: Plaza<'token'>, url: string, app: { client_id: string; client_secret: string }) {
  const shop = openPlaza({ url, credentials: appCredentials(app) })
  const { hold } = await buyer.createHold({ amount: 10, reference: 'order 2' })
  const { hold: captured } = await shop.captureHold({ id: hold.id, amount: 6 })
  const { refund } = await shop.createRefund({ transfer_id: captured.transfer_id ?? '', amount: 2 })
  const csv = await new Response(await shop.exportAppTransfers({ kind: 'refund' })).text()
  return [captured.captured_amount, refund.amount, csv.trimEnd().split('\r\n').length]
}
