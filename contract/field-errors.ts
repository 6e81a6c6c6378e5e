/**
 * The template of every `message` of a field error (D-04), by kind; `{…}` is a value. The service fills the values in;
 * the console extracts them to show the message in another language.
 */
export const field_errors = {
  // By the keywords of schemas
  required: 'is required',
  type_string: 'must be string',
  type_number: 'must be number',
  type_integer: 'must be integer',
  type_boolean: 'must be boolean',
  type_object: 'must be object',
  type_array: 'must be array',
  type_nullable_string: 'must be string or null',
  type_nullable_integer: 'must be integer or null',
  type_nullable_object: 'must be object or null',
  type_nullable_array: 'must be array or null',
  one_of: 'must be one of {values}',
  constant: 'must be equal to constant',
  any_of: 'must match a schema in anyOf',
  length_min: 'must NOT have fewer than {limit} characters',
  length_max: 'must NOT have more than {limit} characters',
  items_min: 'must NOT have fewer than {limit} items',
  items_max: 'must NOT have more than {limit} items',
  items_repeated: 'must NOT have duplicate items (items ## {second} and {first} are identical)',
  properties_max: 'must NOT have more than {limit} properties',
  property_unknown: 'must NOT have additional properties',
  minimum: 'must be >= {limit}',
  maximum: 'must be <= {limit}',
  email: 'must match format "email"',
  id: 'must match format "uuid"',
  date_time: 'must match format "date-time"',
  pattern: 'must match pattern "{pattern}"',
  finite: 'must be a finite number',
  unstorable: 'holds a NUL or half a surrogate pair',
  // By the patterns of texts
  blank: 'must not be blank',
  username: 'must be {min} to {max} letters, digits, dots, hyphens or underscores',
  slug: 'must be small letters, digits and inner hyphens',
  health_path: 'must be a path that begins with /, of printable ASCII characters without spaces',
  subdomain: 'must be 1 to 32 small letters, digits and inner hyphens',
  multiplier: 'must be a number such as 1.0 or 2.5',
  job_id: 'must be the id of a job',
  event_id: 'must be the id of an event',
  ids: 'must be 1 to {max} ids with commas between',
  day_text: 'must be a day such as 2026-01-31',
  time_zone: 'must be a time zone such as Europe/Berlin',
  variable_name: 'must be the name of a variable',
  challenge: 'must be a SHA-256 in base64url: 43 characters',
  // Times and lists
  moment: 'is not a moment',
  moment_text: 'must be a moment, such as 2026-01-31T12:00:00.000Z',
  day: 'is not a day',
  after_from: 'must be after from',
  after_start: 'must be after starts_at',
  days_max: 'must be at most {max} days before to',
  months_max: 'must be at most {max} months before to',
  to_come: 'must be a time to come',
  network: 'must be an address or a network such as 203.0.113.0/24',
  within_days: 'must be within {max} days',
  cursor: 'is not a cursor of this list',
  // People, points and learning
  another_user: 'must be another user',
  of_another_user: 'must be of another user',
  own_address: 'is your address already',
  referral_code: 'is not a referral code',
  held_max: 'must be at most the {amount} that are held',
  needed_by_table: 'is required for a table',
  user_or_message: 'or user_id is required',
  without_user: 'goes without user_id',
  with_user: 'goes with user_id only',
  nothing_there: 'is nothing that the person has',
  upto_or_channel: 'or upto or channel_id is required',
  without_team: 'goes without team_id',
  without_upto: 'goes without upto and channel_id',
  or_mail: 'or mail is required',
  dismiss_alone: 'must have dismiss alone',
  needed_by_mute: 'is required with mute',
  mute_only: 'goes with mute only',
  message_only: 'can remove_message only where a message was reported',
  nothing_to_remove: 'can remove only a display name or picture that the person has',
  name_refused: 'is not allowed as a name',
  picture: 'must be a PNG, JPEG or WebP picture of at most {side_max} pixels a side',
  // Addresses of apps, webhooks and images
  scope: 'is not a scope',
  scope_deprecated: 'points:award is deprecated and cannot be requested',
  invisible: 'must hold no control or bidirectional formatting characters',
  deceiving_url: 'must hold no control, bidirectional or invisible characters, and no look-alikes of dots and slashes',
  reordered: 'must hold no bidirectional embeddings or overrides',
  web_url: 'must be an http or https URL with a host, and without user information, spaces or backslashes',
  plain_ascii: 'must be a plain ASCII URI without spaces, backslashes or *',
  absolute_uri: 'is not an absolute URI',
  no_fragment: 'must have no fragment',
  no_user_information: 'must have no user information',
  no_dot_segments: 'must have no dot segments',
  response_parameter: 'must not have a query parameter named {names}',
  no_host: 'has no host',
  loopback_only: 'must use https, or http on 127.0.0.1, [::1] or localhost',
  redirect_scheme: 'must use https, http on a loopback address, or a private-use scheme with a dot',
  webhook_url: 'must be an https URL with a host, and without user information, a fragment, spaces or backslashes',
  webhook_https: 'must be an https URL: plain http is for loopback addresses only',
  webhook_local:
    'must be an https URL: plain http to your own machine works in a sandbox on that machine, or with WEBHOOK_ADDRESSES=any',
  webhook_host: 'must have a host that DNS knows',
  push_keys: 'must be the keys of a push subscription',
  webhook_public: 'must lead to public addresses only',
  // DPoP proofs
  dpop_form: 'must be one header with one JWT, in base64url without padding',
  dpop_type: 'must be dpop+jwt',
  dpop_no_extension: 'must not be there: extensions are not supported',
  dpop_public_key: 'must be a public key: never send the private one',
  dpop_key: 'must be a key for the algorithm; RSA with 2048 to 4096 bits and the exponent AQAB',
  dpop_other_key: 'must be the key that the token or code is bound to',
  dpop_method: 'must be the method of the request',
  dpop_address: 'must be the address of the request, as this service publishes it',
  dpop_token_hash: 'must be the SHA-256 of the access token, in base64url',
  dpop_time: 'must be within {seconds} seconds of the time of this service: see the header Date',
  dpop_signature: 'must be made with the key of the proof',
  dpop_replayed: 'was used before: make a new proof for each request',
  // Deployments and campaigns
  tier_slug: 'is not the slug of a tier',
  tier_replicas: 'allows {max} replicas: send replicas with it',
  tier_domain: 'allows no custom domain: send custom_domain null with it',
  tier_payment: 'is paid in another way: make a new deployment for it',
  replicas_max: 'must be at most {max} on this tier',
  not_in_tier: 'is not part of this tier',
  domain: 'must be a plain domain name',
  domain_taken: 'belongs to the platform',
  domain_suffix: 'is a public suffix, below which anybody can have a domain',
  as_subdomain: 'must be the same as subdomain',
  variables_max: 'must not make more than {max} variables in all',
  variable_bytes_max: 'must not be longer than {max} bytes',
  environment_bytes_max: 'must not be larger than {max} bytes in all',
  environment_twice: 'is the whole environment: send either it, or env_set and env_unset',
  variable_unset: 'is in env_unset too',
  variable_reserved: 'is set by the platform',
  values_max: 'must not hold more than {max} values',
  nested_max: 'must not be nested deeper than {max} levels',
  number_too_large: 'must not hold a number that is too large',
  json_max: 'must not be longer than {max} characters of JSON',
} as const

/** The names of the values in a template. */
type ValuesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer After}`
  ? Name | ValuesIn<After>
  : never

type Kind = keyof typeof field_errors

/** The fault of a field: its kind, with the values of its message. */
export type FieldFault = {
  [K in Kind]: [ValuesIn<(typeof field_errors)[K]>] extends [never]
    ? K
    : readonly [K, Record<ValuesIn<(typeof field_errors)[K]>, string | number>]
}[Kind]

const value = /\{(\w+)\}/g

/** Fills a template with these values. */
export const filled = (template: string, values: Record<string, string | number>) =>
  template.replace(value, (_, name: string) => String(values[name]))

/** Extracts the values from a text made with a template; undefined for any other text. */
export function valueReader(template: string) {
  const words = template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(`^${words.replace(value, '(?<$1>.+)')}$`)
  return (text: string) => pattern.exec(text)?.groups
}

export function fieldMessage(fault: FieldFault) {
  const [kind, values] = typeof fault === 'string' ? [fault, {}] : fault
  return filled(field_errors[kind], values)
}
