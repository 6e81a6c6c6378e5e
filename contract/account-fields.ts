import { Type, type Static, type TSchema } from 'typebox'
import { decisions } from './decisions.ts'
import * as fields from './fields.ts'
import { admin_roles } from './kinds/admin-roles.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  described,
  integer,
  nullable_text,
  one_of,
  patterned_text,
  read_name,
  text,
  time_zone_name,
} from './schema.ts'
import type { SuccessMessage } from './success-messages.ts'

const { username_min, username_max } = decisions.usernames
const { password_min, password_max } = decisions.passwords
const { digits, recovery_codes: recovery_codes_count } = decisions.totp

// Requests of a person

export const new_username = described(
  `${username_min} to ${username_max} ASCII letters, digits, dots, hyphens or underscores; unique, ignoring case`,
  decided(
    'D-12',
    patterned_text(`^[A-Za-z0-9_.-]{${username_min},${username_max}}$`, [
      'username',
      { min: username_min, max: username_max },
    ]),
  ),
)
export const new_email = described(
  'The address, verified by a mailed code, with at most 64 characters before the @; unique, ignoring case',
  fields.email,
)
export const sent_email = described(
  'The address of the account, ignoring case; an invalid address is treated as unknown',
  bounded_text(1, 254),
)
export const new_password = described(
  `The new password: ${password_min} characters or more, of any kind`,
  decided('D-13', bounded_text(password_min, password_max)),
)
export const password = described('The password of the account', decided('D-13', bounded_text(1, password_max)))
export const totp_code = described(
  `The ${digits} digits that the authenticator shows, or one of the recovery codes; each works once`,
  decided('D-14', bounded_text(1, 64)),
)
export const mailed_code = bounded_text(1, 64)
export const mail_language = described(
  'The code of a language, such as `de`',
  Type.String({ minLength: 2, maxLength: 3, pattern: '^[a-z]+$' }),
)

/** As `schema`, or null, which clears the field. */
const clearable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: ['string', 'null'] })
export const display_name = described(
  'The name that others see next to the username; null without one',
  decided('D-165', clearable(read_name(1, decisions.profiles.display_name_max))),
)
export const time_zone = described(
  'The time zone of days: `UTC` or an IANA name such as Europe/Berlin; null while unknown',
  decided('D-165', clearable(time_zone_name)),
)

// Answers to a person

export const done = described('The result, as a sentence for people', Type.Unsafe<SuccessMessage>({ type: 'string' }))
export const token = described(
  'A JWT, for `Authorization: Bearer`; it expires with its login session, after 12 hours by default',
  text,
)
export const tier = described('The rank of the person, which an admin sets', decided('D-16', text))
export const tier_emoji = described('The emoji of the rank', text)
export const email_verified = described('Whether the person has verified the address with a mailed code', boolean)
export const totp_enabled = described(
  'Whether signing in with the password needs a code of an authenticator app',
  boolean,
)
export const is_admin = described('Whether the person may call `/api/admin`', boolean)
export const admin_role_list = decided(
  'D-135',
  described('The admin roles; empty for other people', Type.Array(one_of(admin_roles))),
)
export const signup_multiplier = described('The factor for referral points; 1 until an admin sets it', integer)
export const registration_number = described('The number of the registration, from 1; never reused', integer)
const referral_code = described('The code that others send as `referral_code` when they register', text)

export const registered_user = Type.Object({
  id: fields.id,
  email: fields.email,
  username: fields.username,
  tier,
  email_verified,
  points: described('The opening balance of the account, in points', decided('D-17', integer)),
  referral_code,
  registration_number: decided('D-16', registration_number),
})

export const signed_in_user = Type.Object({
  id: fields.id,
  email: fields.email,
  username: fields.username,
  tier,
  is_admin,
  email_verified,
  totp_enabled,
})

export const profile = Type.Object({
  id: fields.id,
  email: fields.email,
  username: fields.username,
  tier,
  tier_emoji: decided('D-16', tier_emoji),
  points: described('The spendable points: earned less spent less held', integer),
  held: described('Points that apps hold, not included in `points`', decided('D-97', integer)),
  referral_code,
  signup_multiplier: decided('D-16', signup_multiplier),
  email_verified,
  totp_enabled,
  is_admin: decided('D-81', is_admin),
  admin_roles: admin_role_list,
  ...fields.look,
  time_zone,
  stats: described(
    'Totals since the account was created',
    decided(
      'D-18',
      Type.Object({
        direct_referrals: described('Accounts that were registered with the referral code', integer),
        connected_apps: described('Apps that are connected now', integer),
        total_earned: described('All points ever received', integer),
        total_spent: described('All points ever spent', integer),
      }),
    ),
  ),
})

export const login_session = Type.Object({
  id: fields.id,
  current: described('Whether this call uses it', boolean),
  user_agent: described(
    'The `User-Agent` of the sign-in, its first 300 characters; null if there was none',
    nullable_text,
  ),
  inserted_at: described('When the person signed in', date_time),
  last_used_at: described(
    'The last renewal, or the sign-in; the console renews the session while it is used',
    date_time,
  ),
  expires_at: fields.expires_at,
})

export const recovery_codes = described(
  `${recovery_codes_count} single-use codes that replace the authenticator; shown only here`,
  decided('D-14', Type.Array(text)),
)

const { picture_bytes_max, picture_side_max } = decisions.profiles
const base64_max = Math.ceil(picture_bytes_max / 3) * 4

/** An uploaded picture of a person or an app. */
export const picture_body = Type.Object({
  picture: described(
    `A PNG, JPEG or WebP file in base64: ${picture_bytes_max / 1_048_576} MiB and ${picture_side_max} pixels a side at most`,
    // Without a maximum in characters, which is slow to count; the body size is limited.
    text,
  ),
})
export const picture_body_bytes_max = base64_max + 1_000
