import type { AdminRole } from '../../contract/kinds/admin-roles.ts'

interface ColumnFacts {
  /** Included in the person's data export (D-106). */
  in_export: boolean
  /** Shown to admins in the list of users (D-40). */
  in_admin_list: boolean
  /** People see only whether it is set, under this name. */
  shown_as?: string
}

/** Every column of the table `users`. */
export const user_columns = {
  id: { in_export: true, in_admin_list: true },
  email: { in_export: true, in_admin_list: true },
  username: { in_export: true, in_admin_list: true },
  password_hash: { in_export: false, in_admin_list: false },
  tier: { in_export: true, in_admin_list: true },
  signup_multiplier: { in_export: true, in_admin_list: true },
  is_admin: { in_export: true, in_admin_list: true },
  admin_roles: { in_export: true, in_admin_list: true },
  email_verified: { in_export: true, in_admin_list: true },
  referral_code: { in_export: true, in_admin_list: false },
  referred_by: { in_export: true, in_admin_list: false },
  registration_number: { in_export: true, in_admin_list: true },
  suspended_at: { in_export: false, in_admin_list: true, shown_as: 'suspended' },
  inserted_at: { in_export: true, in_admin_list: true },
  totp_secret: { in_export: true, in_admin_list: true, shown_as: 'totp_enabled' },
  totp_pending_secret: { in_export: false, in_admin_list: false },
  totp_key_id: { in_export: false, in_admin_list: false },
  totp_last_step: { in_export: false, in_admin_list: false },
  totp_tries: { in_export: false, in_admin_list: false },
  totp_tries_reset_at: { in_export: false, in_admin_list: false },
  language: { in_export: true, in_admin_list: false },
  display_name: { in_export: true, in_admin_list: true },
  picture_url: { in_export: true, in_admin_list: true },
  time_zone: { in_export: true, in_admin_list: false },
} as const satisfies Record<keyof UserColumns, ColumnFacts>

/** A row of `users`. */
export interface UserColumns {
  id: string
  email: string
  username: string
  password_hash: string
  tier: string
  signup_multiplier: number
  is_admin: boolean
  /** D-135; `is_admin` is true if there is one. */
  admin_roles: AdminRole[]
  email_verified: boolean
  referral_code: string
  referred_by: string | null
  registration_number: number
  suspended_at: Date | null
  inserted_at: Date
  totp_secret: Buffer | null
  totp_pending_secret: Buffer | null
  /** The fingerprint of the key that sealed either secret; null if version 0.1 wrote it. */
  totp_key_id: Buffer | null
  totp_last_step: number | null
  totp_tries: number
  totp_tries_reset_at: Date | null
  /** The language of mails; null means English (D-125). */
  language: string | null
  /** The name shown next to the username; null without one (D-165). */
  display_name: string | null
  /** The path of the picture; null without one (D-165). */
  picture_url: string | null
  /** The time zone of the person's days; null if unknown (D-165). */
  time_zone: string | null
}

/** A row with the names that people see. */
export type UserRow = UserColumns & { suspended: boolean; totp_enabled: boolean }

type Facts = typeof user_columns
type Column = keyof Facts
type ShownName<Name extends Column> = Facts[Name] extends { shown_as: infer Shown } ? Shown : Name
type ShownIn<Place extends 'in_export' | 'in_admin_list'> = {
  [Name in Column]: Facts[Name][Place] extends true ? ShownName<Name> : never
}[Column]

export const userOf = <Row extends UserColumns>(row: Row) => ({
  ...row,
  suspended: row.suspended_at !== null,
  totp_enabled: row.totp_secret !== null,
})

export const namesShown = <Place extends 'in_export' | 'in_admin_list'>(place: Place) =>
  Object.entries<ColumnFacts>(user_columns).flatMap(([name, facts]) =>
    facts[place] ? [facts.shown_as ?? name] : [],
  ) as ShownIn<Place>[]

/** The part of a user that a place shows. */
export const shownIn = <Place extends 'in_export' | 'in_admin_list'>(place: Place, user: UserRow) =>
  Object.fromEntries(namesShown(place).map((name) => [name, user[name as keyof UserRow]])) as Pick<
    UserRow,
    ShownIn<Place> & keyof UserRow
  >
