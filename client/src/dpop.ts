import { base64url, randomText } from './bytes.ts'

/** Paths of requests without an access token that need a proof. */
const proved_paths = ['/api/oauth/token', '/api/oauth/par']

type Key = Parameters<typeof crypto.subtle.sign>[1]

/** A Web Crypto key pair; its type has a name only in browsers. */
export interface DpopKey {
  publicKey: Key
  privateKey: Key
}

export interface DpopOptions {
  /** The key that the tokens are bound to; a new one by default. To keep it, store it in IndexedDB: it cannot be exported. */
  key?: DpopKey | undefined
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined
}

/** Creates a key for DPoP. It cannot be exported from this program or browser. */
export const createDpopKey = (): Promise<DpopKey> =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])

/**
 * A `fetch` that binds tokens to a key (RFC 9449): it adds proofs to token requests and to calls with an access token,
 * and repeats a request once for a new nonce. Pass the same one to `completeSignIn` and `openPlaza` for a person.
 */
export function dpopFetch({ key, fetch: send = (...request) => fetch(...request) }: DpopOptions = {}): typeof fetch {
  let signer: Promise<Signer> | undefined
  const nonces = new Map<string, string>()
  return async (input, init) => {
    const request = new Request(input, init)
    const { origin, pathname } = new URL(request.url)
    const [, access_token] = /^(?:Bearer|DPoP) (plz_at_\S+)$/.exec(request.headers.get('authorization') ?? '') ?? []
    if (access_token === undefined && !proved_paths.includes(pathname)) return send(input, init)
    const { proofOf } = await (signer ??= signerOf(key))
    const sendWith = async (nonce: string | undefined) => {
      const headers = new Headers(request.headers)
      headers.set('dpop', await proofOf({ method: request.method, url: origin + pathname, access_token, nonce }))
      if (access_token !== undefined) headers.set('authorization', `DPoP ${access_token}`)
      const response = await send(input instanceof Request ? input.clone() : input, { ...init, headers })
      const next = response.headers.get('dpop-nonce')
      if (next !== null) nonces.set(origin, next)
      return response
    }
    const response = await sendWith(nonces.get(origin))
    // The service has only examined the proof; nothing else has happened.
    return (await asksForNonce(response)) ? sendWith(nonces.get(origin)) : response
  }
}

interface Signer {
  proofOf(of: {
    method: string
    url: string
    access_token: string | undefined
    nonce: string | undefined
  }): Promise<string>
}

async function signerOf(given: DpopKey | undefined): Promise<Signer> {
  const { privateKey, publicKey } = given ?? (await createDpopKey())
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  const header = encoded({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } })
  return {
    async proofOf({ method, url, access_token, nonce }) {
      const claims = {
        jti: randomText(),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1000),
        nonce,
        ...(access_token !== undefined && { ath: base64url(await sha256(access_token)) }),
      }
      const signed = `${header}.${encoded(claims)}`
      const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytesOf(signed))
      return `${signed}.${base64url(new Uint8Array(signature))}`
    },
  }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const encoded = (value: object) => base64url(bytesOf(JSON.stringify(value)))
const sha256 = async (text: string) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)))

async function asksForNonce(response: Response) {
  if (response.status !== 400 && response.status !== 401) return false
  return (await response.clone().text()).includes('"use_dpop_nonce"')
}
