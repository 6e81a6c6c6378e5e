import { Type } from 'typebox'
import { password, totp_code } from './account-fields.ts'
import { decisions } from './decisions.ts'
import { id, inserted_at } from './fields.ts'
import {
  boolean,
  bounded_text,
  constant,
  decided,
  described,
  display_name,
  integer,
  nullable_date_time,
  one_of,
  text,
} from './schema.ts'

const { name_max, challenge_seconds } = decisions.passkeys

// Options for the browser, as WebAuthn names them (W3C, Web Authentication Level 3, §5.4 and §5.5)

const kind_of_credential = described('Always `public-key`', constant('public-key'))
const credential = Type.Object({
  id: described('The id that the authenticator gave the passkey, in base64url', text),
  type: kind_of_credential,
  transports: described('How the browser reaches the authenticator, as reported by the browser', Type.Array(text)),
})
const challenge = described(
  `The challenge to sign, in base64url: valid once, for ${challenge_seconds} seconds and only for this purpose`,
  text,
)
const timeout = described('The timeout of the browser’s prompt, in milliseconds', integer)

export const request_options = described(
  'The options of `navigator.credentials.get`, for `PublicKeyCredential.parseRequestOptionsFromJSON`',
  Type.Object({
    challenge,
    timeout,
    rpId: described('The domain name that the passkeys belong to: that of this Plaza', text),
    allowCredentials: described(
      'The accepted passkeys; empty if any of this Plaza is accepted',
      Type.Array(credential),
    ),
    userVerification: described(
      'Whether the authenticator must ask for a PIN, a fingerprint or a face',
      one_of(['required', 'discouraged']),
    ),
  }),
)

export const creation_options = described(
  'The options of `navigator.credentials.create`, for `PublicKeyCredential.parseCreationOptionsFromJSON`',
  Type.Object({
    challenge,
    timeout,
    rp: described(
      'The relying party of the passkey',
      Type.Object({
        id: described('The domain name that it belongs to: that of this Plaza', text),
        name: described('The name that the authenticator shows', text),
      }),
    ),
    user: described(
      'The user of the passkey',
      Type.Object({
        id: described('A handle of the account, in base64url', text),
        name: described('The e-mail address, which the authenticator shows', text),
        displayName: described('The username, which the authenticator shows', text),
      }),
    ),
    pubKeyCredParams: described(
      'The accepted kinds of keys, the preferred one first',
      Type.Array(
        Type.Object({ type: kind_of_credential, alg: described('The number of the algorithm in COSE', integer) }),
      ),
    ),
    excludeCredentials: described('The account’s existing passkeys', Type.Array(credential)),
    authenticatorSelection: described(
      'Requirements for the authenticator',
      Type.Object({
        residentKey: described('Whether the passkey should be discoverable', one_of(['preferred'])),
        requireResidentKey: described('The same in the form of older browsers', boolean),
        userVerification: described('Whether it should ask for a PIN, a fingerprint or a face', one_of(['preferred'])),
      }),
    ),
    attestation: described('Plaza requests no attestation of the authenticator', constant('none')),
    extensions: described(
      'The extensions that the browser should report',
      Type.Object({ credProps: described('Whether the passkey is discoverable', boolean) }),
    ),
  }),
)

// Answers of the browser

const credential_id = described('The id that the authenticator gave the passkey, in base64url', bounded_text(1, 1400))
const raw_id = described('The same as `id`', bounded_text(1, 1400))
const client_data = described('The client data that the authenticator signs, in base64url', bounded_text(1, 8192))
const attachment = Type.Optional(described('Whether the authenticator is part of the device', bounded_text(0, 64)))

export const authentication_response = described(
  'The result of `navigator.credentials.get`, as its `toJSON` writes it',
  Type.Object({
    id: credential_id,
    rawId: raw_id,
    type: kind_of_credential,
    response: described(
      'The answer of the authenticator',
      Type.Object({
        clientDataJSON: client_data,
        authenticatorData: described('The authenticator data, in base64url', bounded_text(1, 8192)),
        signature: described('Its signature, in base64url', bounded_text(1, 8192)),
        userHandle: Type.Optional(described('The handle of the account, in base64url', bounded_text(0, 128))),
      }),
    ),
    authenticatorAttachment: attachment,
  }),
)

export const registration_response = described(
  'The result of `navigator.credentials.create`, as its `toJSON` writes it',
  Type.Object({
    id: credential_id,
    rawId: raw_id,
    type: kind_of_credential,
    response: described(
      'The answer of the authenticator',
      Type.Object({
        clientDataJSON: client_data,
        attestationObject: described('The new key and what it belongs to, in base64url', bounded_text(1, 65_536)),
        transports: Type.Optional(
          described('How the browser reaches it', Type.Array(bounded_text(1, 32), { maxItems: 10 })),
        ),
      }),
    ),
    authenticatorAttachment: attachment,
    clientExtensionResults: Type.Optional(
      described(
        'The results of the extensions',
        Type.Object({
          credProps: Type.Optional(
            described(
              'Properties of the new passkey',
              Type.Object({
                rk: Type.Optional(described('Whether it is discoverable', boolean)),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
)

// Passkeys

export const passkey_name = described('A name that distinguishes it from the others', display_name(name_max))

export const passkey = Type.Object({
  id,
  name: described('The name that the person gave it', text),
  discoverable: described(
    'Whether it is discoverable, so that it signs in without an address; null if not reported',
    Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
  ),
  backed_up: described('Whether it is synchronized to several places, as by password managers', boolean),
  copy_suspected_at: described(
    'When a sign-in was last refused because its counter went back, which indicates a copy; null if never',
    decided('D-108', nullable_date_time),
  ),
  inserted_at,
  last_used_at: described('When it was last used; null if never', nullable_date_time),
})

// Proof that the caller owns the account

/**
 * The password, with a code if there is a second factor; or a passkey alone (D-108); nothing after a proof in this
 * session (D-129).
 */
export const identity_proof = {
  password: Type.Optional(
    described('The password of the account; required unless a passkey is sent, or the session has a proof', password),
  ),
  totp_code: Type.Optional(totp_code),
  passkey: Type.Optional(authentication_response),
}

/** The reasons why a passkey is not accepted as proof. */
export const passkey_proof_failures = [
  'wrong_passkey',
  'passkey_copied',
  'passkey_challenge_over',
  'passkeys_unavailable',
] as const

export const proof_failures = [
  'wrong_password',
  'second_factor_missing',
  'invalid_code',
  'totp_locked',
  'too_many_failures',
  ...passkey_proof_failures,
] as const
