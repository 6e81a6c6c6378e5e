import { join } from 'node:path'
import { decisions } from '../contract/decisions.ts'
import type { Tier } from './accounts/rules.ts'
import { EnvReader, type Env } from './kit/env-reader.ts'
import { package_root } from './kit/package.ts'

export type Config = ReturnType<typeof readConfig>

const day_seconds = 86_400

/**
 * Reads the whole configuration (README, Settings). Throws a `ConfigError` that names every problem, before anything
 * listens or connects.
 */
export function readConfig(env: Env) {
  const read = new EnvReader(env)
  const port = read.integer('PORT', 3000, { min: 0, max: 65_535 })
  const config = {
    host: read.text('HOST', 'localhost'),
    port,
    public_url: read.url('PUBLIC_URL', ['http:', 'https:'], `http://localhost:${port}`).replace(/\/+$/, ''),
    database_url: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    data_dir: read.text('DATA_DIR', './data'),
    learning_dir: read.text('LEARNING_DIR', join(package_root, 'content/learning')),
    log_level: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    secret_keys: read.list('SECRET_KEYS'),
    trusted_proxies: read.networks('TRUSTED_PROXIES'),
    shutdown_seconds: read.integer('SHUTDOWN_SECONDS', 20, { min: 1, max: 600 }),
    mail: {
      smtp_url: read.url('SMTP_URL', ['smtp:', 'smtps:']),
      from: read.text('MAIL_FROM', 'Plaza <no-reply@plaza.localhost>'),
    },
    admin: { email: read.text('ADMIN_EMAIL'), password: read.text('ADMIN_PASSWORD') },
    lifetimes: readLifetimes(read),
    session_heartbeat_seconds: read.integer('SESSION_HEARTBEAT', decisions['D-38'].value.heartbeat_seconds, {
      min: 1,
      max: day_seconds,
    }),
    signup_points: read.integer('SIGNUP_POINTS', decisions['D-17'].value.signup_points, { min: 0, max: 1_000_000_000 }),
    referral_points: read.integer('REFERRAL_POINTS', decisions['D-17'].value.referral_points, {
      min: 0,
      max: 1_000_000_000,
    }),
    chat_words: { deny: read.list('CHAT_DENY_WORDS'), allow: read.list('CHAT_ALLOW_WORDS') },
    events_heartbeat_seconds: read.integer('EVENTS_HEARTBEAT', decisions['D-80'].value.heartbeat_seconds, {
      min: 1,
      max: 300,
    }),
    tiers: readTiers(read),
    limits: readLimits(read),
  }
  refuseContradictions(read, config)
  read.finish()
  return config
}

function readLifetimes(read: EnvReader) {
  const lifetimes = decisions['D-21'].value
  const bounds = { min: 1, max: 10 * 366 * day_seconds }
  return {
    jwt_seconds: read.integer('JWT_TTL', decisions['D-15'].value.jwt_seconds, bounds),
    access_token_seconds: read.integer('ACCESS_TOKEN_TTL', lifetimes.access_token_seconds, bounds),
    refresh_token_seconds: read.integer('REFRESH_TOKEN_TTL', lifetimes.refresh_token_seconds, bounds),
    session_token_seconds: read.integer('SESSION_TOKEN_TTL', lifetimes.session_token_seconds, bounds),
  }
}

function readLimits(read: EnvReader) {
  const limits = decisions['D-06'].value
  return {
    login: read.limit('RATE_LIMIT_LOGIN', limits.login),
    register: read.limit('RATE_LIMIT_REGISTER', limits.register),
    verify_email: read.limit('RATE_LIMIT_VERIFY_EMAIL', limits.verify_email),
    send_verification: read.limit('RATE_LIMIT_SEND_VERIFICATION', limits.send_verification),
    token: read.limit('RATE_LIMIT_TOKEN', limits.token),
    token_verify: read.limit('RATE_LIMIT_TOKEN_VERIFY', limits.token_verify),
  }
}

/** `TIERS=bronze 🥉, silver 🥈`: name and emoji; new users get the first (D-16). */
function readTiers(read: EnvReader): [Tier, ...Tier[]] {
  const given = read.list('TIERS').map((item) => {
    const [name, emoji, ...rest] = item.split(/\s+/)
    if (!name || !emoji || rest.length > 0) read.problem(`TIERS: "${item}" must be a name and an emoji`)
    return { name: name ?? '', emoji: emoji ?? '' }
  })
  const [first, ...others] = given.length > 0 ? given : [...decisions['D-16'].value.tiers]
  if (new Set(given.map(({ name }) => name)).size < given.length) read.problem('TIERS names a tier twice')
  return [first as Tier, ...others]
}

function refuseContradictions(
  read: EnvReader,
  config: {
    public_url: string
    database_url: string | undefined
    secret_keys: string[]
    admin: { email: string | undefined; password: string | undefined }
  },
) {
  const { search, hash, username, password } = new URL(config.public_url)
  if (search || hash || username || password)
    read.problem('PUBLIC_URL must have no query, no fragment and no credentials: addresses are made by adding to it')
  if (config.secret_keys.some((key) => key.length < 32))
    read.problem('SECRET_KEYS: every key needs at least 32 characters (the first signs, all verify)')
  if (config.database_url !== undefined && config.secret_keys.length === 0)
    read.problem('SECRET_KEYS is required with DATABASE_URL: all processes on one database must share it')
  if ((config.admin.email === undefined) !== (config.admin.password === undefined))
    read.problem('ADMIN_EMAIL and ADMIN_PASSWORD must be set together')
  if (config.admin.email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(config.admin.email))
    read.problem('ADMIN_EMAIL must be an e-mail address')
  const { password_min, password_max } = decisions['D-13'].value
  const { length } = [...(config.admin.password ?? 'unset, so of good length')]
  if (length < password_min || length > password_max)
    read.problem(`ADMIN_PASSWORD needs ${password_min} to ${password_max} characters`)
}
