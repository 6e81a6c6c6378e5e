import type { OpenCalls } from './generated/open-calls.ts'

/** A person (JWT of a login), an app for a person (access token), or an app itself (its id and secret). */
export type CredentialKind = 'person' | 'token' | 'app'

export interface Credentials<Kind extends CredentialKind = CredentialKind> {
  readonly kind: Kind
  /** The `Authorization` header of the next call. `plaza` calls the same service. */
  authorization(plaza: OpenCalls): string | Promise<string>
  /** Whether the next header differs from this one, which the service refused. */
  renew?(refused: string, plaza: OpenCalls): Promise<boolean>
}

/** A person: the `token` returned by `login`. */
export const personCredentials = (token: string): Credentials<'person'> => ({
  kind: 'person',
  authorization: () => `Bearer ${token}`,
})

/** An app that acts for a person until the access token expires; `refreshedTokens` renews it. */
export const accessToken = (token: string): Credentials<'token'> => ({
  kind: 'token',
  authorization: () => `Bearer ${token}`,
})

/** The id and secret of an app. */
export interface ClientSecret {
  client_id: string
  client_secret: string
}

/** An app itself. The secret belongs on servers: never send it to a browser. */
export const appCredentials = ({ client_id, client_secret }: ClientSecret): Credentials<'app'> => ({
  kind: 'app',
  // RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
  authorization: () => `Basic ${btoa(`${formEncode(client_id)}:${formEncode(client_secret)}`)}`,
})

const formEncode = (text: string) => new URLSearchParams({ _: text }).toString().slice(2)
