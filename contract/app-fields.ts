import { Type, type Static, type TSchema } from 'typebox'
import { decisions } from './decisions.ts'
import * as fields from './fields.ts'
import { secret_permission_names } from './kinds/secret-permissions.ts'
import { member_roles } from './kinds/member-roles.ts'
import {
  boolean,
  bounded_text,
  decided,
  described,
  display_name,
  integer,
  moment,
  nullable_date_time,
  nullable_text,
  nullable_uuid,
  one_of,
  text,
  uuid,
  read_text,
} from './schema.ts'

const { redirect_uris_max } = decisions.redirect_uris

export const app_statuses = ['pending', 'approved', 'rejected'] as const
export const app_status = described(
  'The result of the review; people can authorize approved apps only',
  one_of(app_statuses),
)
export const scope_request_statuses = ['pending', 'approved', 'denied'] as const
export const scope_request_status = described('The result of the request', one_of(scope_request_statuses))

// Requests of an owner

export const app_name = described(
  'The name that people see on the consent page, without control characters',
  decided('D-90', display_name(100)),
)
const any_description = read_text(0, 2000)
const any_url = decided('D-90', bounded_text(0, 2048))
export const app_description = described('The purpose of the app, for people to read', any_description)
export const logo_url = described('A picture of the app: http or https', any_url)
export const website_url = described('The pages of the app: http or https', any_url)

/** Null and an empty text clear the field, so that the body of a GET can be sent back. */
const clearable = (description: string, schema: TSchema) =>
  described(description, Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] }))
export const changed_description = clearable('The purpose of the app; null clears it', any_description)
export const changed_logo_url = clearable('A picture of the app: http or https; null clears it', any_url)
export const changed_website_url = clearable('The pages of the app: http or https; null clears it', any_url)

export const redirect_uris = described(
  'The addresses that codes may be sent to: https, http on loopback, or a private-use scheme with a dot; compared character by character',
  decided('D-28', Type.Array(bounded_text(1, 2048), { minItems: 1, maxItems: redirect_uris_max })),
)
export const requested_scopes = described(
  'The scopes that the app needs',
  Type.Array(bounded_text(1, 100), { minItems: 1, maxItems: 20 }),
)
export const narrowed_scopes = described(
  'The scopes that the app keeps; further ones need a scope request',
  Type.Array(bounded_text(1, 100), { maxItems: 20 }),
)
export const require_pkce = described(
  'Whether a code needs its verifier even if the secret is sent',
  decided('D-24', boolean),
)

export const require_par = described(
  'Whether the app accepts only pushed authorization requests',
  decided('D-151', boolean),
)

export const require_dpop = described('Whether the app gets only tokens bound to a DPoP key', decided('D-152', boolean))

/** Null or an empty text clears it. */
export const changed_logout_uri = clearable(
  'Where logout tokens are sent when a person signs out: an address as that of a webhook; null ends it',
  decided('D-155', bounded_text(0, 2048)),
)

// Apps

export const listed = described('Whether the public directory lists the app, as decided by an admin', boolean)
export const total_users = described('The number of people who have ever connected the app', integer)

export const app_fields = {
  id: fields.id,
  client_id: fields.client_id,
  app_name: fields.app_name,
  app_description: fields.app_description,
  logo_url: fields.logo_url,
  website_url: fields.website_url,
  redirect_uris: described('The addresses that codes may be sent to; the first is the default', Type.Array(text)),
  allowed_scopes: fields.allowed_scopes,
  is_approved: described('Whether an admin has approved the app; otherwise nobody can authorize it', boolean),
  listed: decided('D-34', listed),
  require_pkce,
  require_par,
  backchannel_logout_uri: decided(
    'D-155',
    described('The address for logout tokens when a person signs out; null for none', nullable_text),
  ),
  require_dpop,
  inserted_at: fields.inserted_at,
  updated_at: fields.updated_at,
}

/** The state of an app's review, for its owner and the admins. */
export const app_review = described(
  'The state of the review, for its owner and the admins',
  decided(
    'D-81',
    Type.Object({
      status: app_status,
      reason: described(
        'The admin’s reason for the last decision; it stays while the app is pending again',
        nullable_text,
      ),
      decided_at: fields.decided_at,
      resubmitted_at: described('When its owner submitted it again; null if never', nullable_date_time),
      note: described('The owner’s note to the reviewer at that time; null if there is none', nullable_text),
    }),
  ),
)
const owned_app_fields = { ...app_fields, review: app_review }

export const operator_app = Type.Object(owned_app_fields)
export const app_with_users = Type.Object({
  ...owned_app_fields,
  total_users,
  role: described(
    'Your role in the app: `owner` for your own, otherwise your role in its team',
    decided('D-134', one_of(member_roles)),
  ),
  team_id: described('The id of the team that owns the app; null if you do', decided('D-134', nullable_uuid)),
  team_name: described('The name of that team; null if you own the app', decided('D-134', nullable_text)),
})
export const client_secret = described('The secret of the app, `plz_cs_…`; shown only here', text)
export const new_app = Type.Object({ ...owned_app_fields, client_secret })
export const full_app = Type.Object({ ...app_fields, total_users })
export const changed_app = Type.Object(app_fields)

/** The public part of an app as an admin last reviewed it, if the app has changed since. */
export const reviewed = Type.Optional(
  described(
    'The reviewed values, if the app has changed since the review; absent otherwise',
    decided(
      'D-117',
      Type.Object({
        app_name: fields.app_name,
        app_description: fields.app_description,
        logo_url: fields.logo_url,
        website_url: fields.website_url,
        redirect_hosts: described(
          'The former receivers of codes: hosts, or schemes of apps on a device',
          Type.Array(text),
        ),
      }),
    ),
  ),
)

const approved_fields = Type.Object({
  app_name: fields.app_name,
  app_description: fields.app_description,
  logo_url: fields.logo_url,
  website_url: fields.website_url,
  redirect_uris: described('The former addresses for codes', Type.Array(text)),
})
export const approved_state = described(
  'The values approved last; null if there are none',
  Type.Unsafe<Static<typeof approved_fields> | null>({ ...approved_fields, type: ['object', 'null'] }),
)

const decided_fields = Type.Object({
  ...approved_fields.properties,
  allowed_scopes: fields.allowed_scopes,
  require_pkce,
  backchannel_logout_uri: Type.Optional(app_fields.backchannel_logout_uri),
  require_dpop: Type.Optional(require_dpop),
})
const decided_state = described(
  'The values at the last decision; null before the first, and for decisions of versions before 0.3',
  Type.Unsafe<Static<typeof decided_fields> | null>({ ...decided_fields, type: ['object', 'null'] }),
)

export const payout_limit = described(
  'The points that the app may pay out in 24 hours; null for the limit of this installation',
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: decisions.amounts.amount_max }),
)
export const admin_app = Type.Object({
  ...app_fields,
  status: app_status,
  owner_id: described('The id of the person who owns it; of a team’s app one of the team’s owners', uuid),
  owner_username: described('The name of that person', text),
  team_id: described('The id of the team that owns the app; null if a person does', decided('D-134', nullable_uuid)),
  team_name: described('The name of that team; null if a person owns the app', decided('D-134', nullable_text)),
  decision_reason: fields.decision_reason,
  review: app_review,
  changed_since_approval: decided(
    'D-110',
    described('Whether its name, description, logo, website or redirect URIs have changed since the approval', boolean),
  ),
  approved: decided('D-110', approved_state),
  decided_fields: decided('D-81', decided_state),
  payout_limit: decided('D-132', payout_limit),
})

export const listed_app = Type.Object({
  id: fields.id,
  app_name: fields.app_name,
  app_description: fields.app_description,
  logo_url: fields.logo_url,
  website_url: fields.website_url,
  inserted_at: fields.inserted_at,
  reviewed,
})

export const public_app = Type.Object({
  name: fields.app_name,
  client_id: fields.client_id,
  description: Type.Optional(described('The owner’s description; absent if there is none', text)),
})

// Scope requests and secrets

const asked_scopes = described('The requested scopes', Type.Array(text))

export const scope_request = Type.Object({
  id: fields.id,
  status: described('`pending` until an admin decides, then `approved` or `denied`', decided('D-32', text)),
  requested_scopes: asked_scopes,
  inserted_at: fields.inserted_at,
})

export const admin_scope_request = Type.Object({
  id: fields.id,
  app_id: fields.app_id,
  app_name: fields.app_name,
  status: scope_request_status,
  requested_scopes: asked_scopes,
  decision_reason: fields.decision_reason,
  inserted_at: fields.inserted_at,
  decided_at: fields.decided_at,
})

const { networks_max, name_max } = decisions.restricted_secrets
/** The length of the longest network: an IPv6 address that ends like an IPv4 address, and its bits. */
const network_length_max = 49

export const secret_name = described(
  'A name that distinguishes it from the others, such as that of a server',
  display_name(name_max),
)
const secret_permissions = described(
  'The permitted calls; `payments` and `payouts` include `payments_read`',
  Type.Array(one_of(secret_permission_names), {
    minItems: 1,
    maxItems: secret_permission_names.length,
    uniqueItems: true,
  }),
)
const allowed_addresses = described(
  'The networks that may use it, such as `203.0.113.7` or `2001:db8::/32`; empty for any',
  Type.Array(bounded_text(1, network_length_max), { maxItems: networks_max }),
)

/**
 * The restrictions of a new secret; without them it has all permissions, never expires and may be used from anywhere.
 */
export const secret_request = {
  name: Type.Optional(decided('D-133', secret_name)),
  permissions: Type.Optional(decided('D-133', secret_permissions)),
  expires_at: Type.Optional(decided('D-133', described('When it expires: a time in the future', moment))),
  allowed_addresses: Type.Optional(decided('D-133', allowed_addresses)),
}

const secret_fields = {
  id: fields.id,
  hint: described('The last characters of the secret, to identify it', text),
  name: decided('D-133', described('Its name; null if it has none', nullable_text)),
  permissions: decided('D-133', secret_permissions),
  expires_at: decided('D-133', described('When it expires; null if never', nullable_date_time)),
  allowed_addresses: decided('D-133', allowed_addresses),
  maker_username: decided(
    'D-133',
    described('The name of the person who made it; null if they have left', nullable_text),
  ),
  inserted_at: fields.inserted_at,
  last_used_at: described('When it was last used, to within a minute; null if never', nullable_date_time),
  last_address: decided('D-133', described('The network address of that use; null if never', nullable_text)),
}
export const secret = Type.Object(secret_fields)
export const new_secret = Type.Object({ ...secret_fields, client_secret })
