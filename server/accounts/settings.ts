import { decisions } from '../../contract/decisions.ts'
import type { EnvReader } from '../platform/env-reader.ts'
import type { Tier } from './rules.ts'

export type AccountsSettings = ReturnType<typeof readAccountsSettings>

const ten_years_seconds = 10 * 366 * 86_400

export const readAccountsSettings = (read: EnvReader) => ({
  jwt_seconds: read.integer('JWT_TTL', decisions.login_tokens.jwt_seconds, { min: 1, max: ten_years_seconds }),
  session_idle_seconds: read.integer('SESSION_IDLE_TTL', decisions.kept_sessions.idle_seconds, {
    min: 60,
    max: ten_years_seconds,
  }),
  session_max_seconds: read.integer('SESSION_MAX_TTL', decisions.kept_sessions.max_seconds, {
    min: 60,
    max: ten_years_seconds,
  }),
  tiers: readTiers(read),
  reserved_usernames: read.list('RESERVED_USERNAMES'),
  admin: readAdmin(read),
  admin_second_factor: read.oneOf('ADMIN_SECOND_FACTOR', ['advised', 'required'], 'advised'),
})

/** `TIERS=bronze 🥉, silver 🥈`: name and emoji; new users get the first tier (D-16). */
function readTiers(read: EnvReader): [Tier, ...Tier[]] {
  const given = read.list('TIERS').map((item) => {
    const [name, emoji, ...rest] = item.split(/\s+/)
    if (!name || !emoji || rest.length > 0) read.problem(`TIERS: "${item}" must be a name and an emoji`)
    return { name: name ?? '', emoji: emoji ?? '' }
  })
  const [first, ...others] = given.length > 0 ? given : [...decisions.membership.tiers]
  if (new Set(given.map(({ name }) => name)).size < given.length) read.problem('TIERS names a tier twice')
  return [first as Tier, ...others]
}

function readAdmin(read: EnvReader) {
  const email = read.text('ADMIN_EMAIL')
  const password = read.text('ADMIN_PASSWORD')
  if ((email !== undefined) !== read.isGiven('ADMIN_PASSWORD'))
    read.problem('ADMIN_EMAIL and ADMIN_PASSWORD must be set together')
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email)) read.problem('ADMIN_EMAIL must be an e-mail address')
  const { password_min, password_max } = decisions.passwords
  const { length } = [...(password ?? 'x'.repeat(password_min))]
  if (length < password_min || length > password_max)
    read.problem(`ADMIN_PASSWORD needs ${password_min} to ${password_max} characters`)
  return { email, password }
}
