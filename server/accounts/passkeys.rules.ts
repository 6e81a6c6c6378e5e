import { isIP } from 'node:net'

/**
 * The relying party of WebAuthn, for which browsers keep passkeys: a domain name, and the one origin that may ask for
 * them.
 */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * The relying party of an address; undefined if browsers support no passkeys there: WebAuthn needs a domain name, and
 * https except on localhost.
 */
export function relyingPartyOf(public_url: string): RelyingParty | undefined {
  const { hostname, protocol, origin } = new URL(public_url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
  const is_local = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || is_local ? { id: hostname, origin } : undefined
}

/** The handle by which authenticators store the passkeys of an account. */
export const userHandle = (user_id: string) => Buffer.from(user_id.replaceAll('-', ''), 'hex').toString('base64url')

interface ClientData {
  challenge?: unknown
  crossOrigin?: unknown
  topOrigin?: unknown
}

/** The client data of the browser, not yet verified; undefined if it cannot be parsed. */
function readClientData(client_data: string): ClientData {
  try {
    const data: unknown = JSON.parse(Buffer.from(client_data, 'base64url').toString())
    return typeof data === 'object' && data !== null ? data : {}
  } catch {
    return {}
  }
}

/** The challenge in the browser's client data; undefined if the data cannot be parsed. */
export function challengeIn(client_data: string): string | undefined {
  const { challenge } = readClientData(client_data)
  return typeof challenge === 'string' ? challenge : undefined
}

/** Whether the browser reports that the page was embedded in one of another origin, which Plaza never is. */
export function isInForeignPage(client_data: string) {
  const { crossOrigin, topOrigin } = readClientData(client_data)
  return (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
}

const timeout_ms = 5 * 60_000

interface Asked {
  party: RelyingParty
  challenge: string
  passkeys: readonly { credential_id: Buffer; transports: string[] }[]
}

/** A passkey as WebAuthn's options describe it. */
const descriptorOf = ({ credential_id, transports }: Asked['passkeys'][number]) => ({
  id: credential_id.toString('base64url'),
  type: 'public-key' as const,
  transports,
})

/** The options for a sign-in or proof. Without `passkeys`, the browser offers any passkey of the relying party. */
export const requestOptions = ({ party, challenge, passkeys }: Asked, verified: boolean) => ({
  challenge,
  timeout: timeout_ms,
  rpId: party.id,
  allowCredentials: passkeys.map(descriptorOf),
  userVerification: verified ? ('required' as const) : ('discouraged' as const),
})

/** ECDSA with P-256, Ed25519 and RSA (COSE): the algorithms of authenticators, the most common first. */
export const key_algorithms = [-7, -8, -257]

/** The options for a new passkey. `passkeys` are the account's present ones. */
export const creationOptions = (
  { party, challenge, passkeys }: Asked,
  { id, email, username }: { id: string; email: string; username: string },
) => ({
  challenge,
  timeout: timeout_ms,
  rp: { id: party.id, name: 'Plaza' },
  user: { id: userHandle(id), name: email, displayName: username },
  pubKeyCredParams: key_algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
  excludeCredentials: passkeys.map(descriptorOf),
  // Old security keys cannot store discoverable passkeys; they still serve after the password.
  authenticatorSelection: {
    residentKey: 'preferred' as const,
    requireResidentKey: false,
    userVerification: 'preferred' as const,
  },
  attestation: 'none' as const,
  extensions: { credProps: true },
})
