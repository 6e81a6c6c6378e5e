/** The input of a flow, and the steps that need the test's help. */
export interface World {
  url: string
  admin: { email: string; password: string }
  person: { email: string; password: string; username: string }
  operator: { email: string; password: string; username: string }
  pkce: { verifier: string; challenge: string }
  /** Verifies a person's address without reading the mail. */
  verified(user_id: string): Promise<unknown>
  /** The idempotency key of a spend. */
  key(amount: number): string
}

/** The results of a flow. */
export interface Played {
  name: string
  points: number
  is_replayed: boolean
  refusal: string | undefined
  faults: string[]
}

/**
 * From registration to a spend: an operator registers an app, an admin approves it, a person consents, and the app
 * reads the profile and spends points once, too many, and none.
 */
export type Play = (world: World) => Promise<Played>
