import { isIP } from 'node:net'

/** For whom browsers keep passkeys, as WebAuthn calls it: a domain name and the one origin that may ask for them. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * The relying party of an address; undefined where browsers have no passkeys: WebAuthn needs a domain name, and https except on
 * localhost.
 */
export function relyingPartyOf(public_url: string): RelyingParty | undefined {
  const { hostname, protocol, origin } = new URL(public_url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
  const is_local = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || is_local ? { id: hostname, origin } : undefined
}

/** The handle under which authenticators keep the passkeys of an account. */
export const userHandle = (user_id: string) => Buffer.from(user_id.replaceAll('-', ''), 'hex').toString('base64url')

interface ClientData {
  challenge?: unknown
  crossOrigin?: unknown
  topOrigin?: unknown
}

/** The client data of the browser; undefined where it cannot be read. Nothing is verified yet. */
function readClientData(client_data: string): ClientData {
  try {
    const data: unknown = JSON.parse(Buffer.from(client_data, 'base64url').toString())
    return typeof data === 'object' && data !== null ? data : {}
  } catch {
    return {}
  }
}

/** The challenge that the browser says it was given; undefined where its data cannot be read. */
export function challengeIn(client_data: string): string | undefined {
  const { challenge } = readClientData(client_data)
  return typeof challenge === 'string' ? challenge : undefined
}

/** Whether the browser says that the page was inside one of another origin, which Plaza never is. */
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

/** A passkey as the options of WebAuthn name it. */
const descriptorOf = ({ credential_id, transports }: Asked['passkeys'][number]) => ({
  id: credential_id.toString('base64url'),
  type: 'public-key' as const,
  transports,
})

/** The options for a sign-in or proof. Without `passkeys`, the browser offers any of the relying party. */
export const requestOptions = ({ party, challenge, passkeys }: Asked, verified: boolean) => ({
  challenge,
  timeout: timeout_ms,
  rpId: party.id,
  allowCredentials: passkeys.map(descriptorOf),
  userVerification: verified ? ('required' as const) : ('discouraged' as const),
})

/** ECDSA with P-256, Ed25519 and RSA (COSE): what authenticators have, the commonest first. */
export const key_algorithms = [-7, -8, -257]

/** The options for a new passkey. `passkeys` are those that the account has. */
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
  // Old security keys cannot keep it themselves; they still serve after the password.
  authenticatorSelection: {
    residentKey: 'preferred' as const,
    requireResidentKey: false,
    userVerification: 'preferred' as const,
  },
  attestation: 'none' as const,
  extensions: { credProps: true },
})
