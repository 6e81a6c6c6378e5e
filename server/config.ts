import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { decisions } from '../contract/decisions.ts'
import { readAccountsSettings } from './accounts/settings.ts'
import { readAdminSettings } from './admin/settings.ts'
import { readAdsSettings } from './ads/settings.ts'
import { readHostingSettings } from './hosting/settings.ts'
import { readLearningSettings } from './learning/settings.ts'
import { readOAuthSettings } from './oauth/settings.ts'
import { readPagesSettings } from './pages/settings.ts'
import { parseDatabaseUrl } from './platform/postgres/url.ts'
import { EnvReader, type Env } from './platform/env-reader.ts'
import { parseMailAddress } from './platform/mail-address.ts'
import { isLoopbackName } from './platform/networks.ts'
import { readPointsSettings } from './points/settings.ts'
import { connections_default, connections_min } from './processes/connection-budget.ts'
import { readSocialSettings } from './social/settings.ts'
import { readWebhooksSettings } from './webhooks/settings.ts'

export type Config = ReturnType<typeof readConfig>

/** Settings that are secret or contain a password. `<NAME>_FILE` may name a file with the value instead. */
const secret_settings = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'SECRET_KEYS',
  'SMTP_URL',
  'ADMIN_PASSWORD',
  'REGISTRY_PRIVATE_PASSWORD',
] as const

/**
 * Reads the whole configuration (docs/operating/settings.md). Throws a `ConfigError` that names every problem, before anything
 * listens or connects.
 */
export function readConfig(env: Env) {
  const read = new EnvReader(env, { secrets: secret_settings })
  const port = read.integer('PORT', 3000, { min: 0, max: 65_535 })
  const config = {
    host: read.text('HOST', 'localhost'),
    port,
    probes_port: readProbesPort(read),
    public_url: readPublicUrl(read, port),
    ...readDatabase(read),
    ...readReplica(read),
    database_connections: read.integer('DATABASE_CONNECTIONS', connections_default, {
      min: connections_min,
      max: 1_000,
    }),
    processes: readProcesses(read),
    log_level: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    data_volume: read.oneOf('DATA_VOLUME', ['any', 'required'], 'any'),
    metrics: readMetrics(read),
    missing_keys: readMissingKeys(read),
    backups: readBackups(read),
    trusted_proxies: read.networks('TRUSTED_PROXIES'),
    drain_api_seconds: read.integer('DRAIN_SECONDS_API', decisions.draining.drain_seconds, { min: 0, max: 600 }),
    shutdown_seconds: read.integer('SHUTDOWN_SECONDS', 20, { min: 1, max: 600 }),
    mail: readMail(read),
    events_heartbeat_seconds: read.integer('EVENTS_HEARTBEAT', decisions.event_streams.heartbeat_seconds, {
      min: 1,
      max: 300,
    }),
    dns_servers: readDnsServers(read),
    limits: readLimits(read),
    roles: readRoles(read),
    ...readAccountsSettings(read),
    ...readPointsSettings(read),
    ...readOAuthSettings(read),
    ...readWebhooksSettings(read),
    ...readAdminSettings(read),
    ...readAdsSettings(read),
    ...readLearningSettings(read),
    ...readSocialSettings(read),
    ...readHostingSettings(read),
    ...readPagesSettings(read),
  }
  config.containers.isolation ??= isForOneMachine(read, config) ? 'trusted' : undefined
  refuseContradictions(read, config)
  const ignored = read.unknownSettings(own_prefixes)
  read.finish()
  return { ...config, ignored }
}

/** The port for probes of a process without the API role; undefined if it does not answer them. */
function readProbesPort(read: EnvReader) {
  return read.text('PROBES_PORT') === undefined ? undefined : read.integer('PROBES_PORT', 0, { min: 0, max: 65_535 })
}

/** Variables with these prefixes are treated as settings of Plaza. */
const own_prefixes = [
  'BACKUP_',
  'RATE_LIMIT_',
  'ROUTER_',
  'REGISTRY_',
  'DRAIN_SECONDS',
  'CHAT_',
  'EVENTS_',
  'CONTAINER_HOST',
  'METRICS_',
]

/** The settings of a command: the database and the keys. */
export interface DatabaseConfig {
  database_url: string | undefined
  data_dir: string
  secret_keys: string[]
  /** Whether this is a separate space for trials, on a separate database. */
  is_sandbox: boolean
}

/** Reads some of the settings. Throws a `ConfigError` that names every problem. */
function readSettings<Settings>(env: Env, readAll: (read: EnvReader) => Settings): Settings {
  const read = new EnvReader(env, { secrets: secret_settings })
  const settings = readAll(read)
  read.finish()
  return settings
}

/** Reads the settings of a command. Throws a `ConfigError` that names every problem. */
export const readDatabaseConfig = (env: Env): DatabaseConfig => readSettings(env, readDatabase)

const readDatabase = (read: EnvReader): DatabaseConfig => ({
  database_url: readDatabaseUrl(read),
  data_dir: readDataDir(read),
  secret_keys: read.list('SECRET_KEYS'),
  is_sandbox: readSandbox(read),
})

const readSandbox = (read: EnvReader) => read.oneOf('SANDBOX', ['off', 'on'], 'off') === 'on'

/** A sandbox has a different default, so that both can be started in one folder. */
const readDataDir = (read: EnvReader) =>
  read.text('DATA_DIR', read.text('SANDBOX') === 'on' ? './data-sandbox' : './data')

/** A standby that answers reads. */
export interface ReplicaConfig {
  replica_url: string | undefined
  replica_lag_max_seconds: number
}

/** Reads the settings of a command that may read on a replica. */
export const readReplicaConfig = (env: Env): ReplicaConfig => readSettings(env, readReplica)

const readReplica = (read: EnvReader): ReplicaConfig => ({
  replica_url: readReplicaUrl(read),
  replica_lag_max_seconds: read.integer('REPLICA_LAG_MAX', 10, { min: 1, max: 3_600 }),
})

/** The settings of scheduled backups. */
export interface BackupConfig {
  dir: string
  every_hours: number
  /** The number of backups to keep. */
  keep: number
}

/** Reads the settings of a command about backups. `scheduled` is undefined if no backups are scheduled. */
export const readBackupConfig = (env: Env): { scheduled: BackupConfig | undefined; allow_missing_keys: boolean } =>
  readSettings(env, (read) => ({
    scheduled: readBackups(read),
    allow_missing_keys: readMissingKeys(read) === 'allow',
  }))

const readMissingKeys = (read: EnvReader) => read.oneOf('MISSING_KEYS', ['refuse', 'allow'], 'refuse')

/**
 * The embedded database is backed up into its data folder by default; an operator's database only if BACKUP_DIR is set.
 */
function readBackups(read: EnvReader): BackupConfig | undefined {
  const own_folder = join(readDataDir(read), 'backups')
  const dir = read.text('BACKUP_DIR') ?? (read.text('DATABASE_URL') === undefined ? own_folder : undefined)
  const is_off = read.text('BACKUP_EVERY') === 'off'
  const every_hours = is_off ? 0 : read.integer('BACKUP_EVERY', 24, { min: 1, max: 24 * 31 })
  const keep = read.integer('BACKUP_KEEP', 7, { min: 1, max: 1_000 })
  return dir === undefined || is_off ? undefined : { dir, every_hours, keep }
}

/** One server or several: `postgres://user:pw@h1,h2/db?target_session_attrs=read-write`. */
function readDatabaseUrl(read: EnvReader, setting = 'DATABASE_URL') {
  const text = read.text(setting)
  try {
    if (text !== undefined) parseDatabaseUrl(text)
    return text
  } catch (error) {
    read.problem(`${setting} ${(error as Error).message}`)
    return undefined
  }
}

/** Only one server: reads and the measured lag must belong to the same one. */
function readReplicaUrl(read: EnvReader) {
  const text = readDatabaseUrl(read, 'DATABASE_REPLICA_URL')
  if (text !== undefined && parseDatabaseUrl(text).servers.length > 1)
    read.problem('DATABASE_REPLICA_URL must name one server')
  if (text !== undefined && !read.isGiven('DATABASE_URL'))
    read.problem('DATABASE_REPLICA_URL needs DATABASE_URL: the primary that it is a replica of')
  return text
}

/** The mail server. If it gets a password, or codes over a network, TLS is required unless SMTP_TLS says otherwise. */
function readMail(read: EnvReader) {
  const smtp_url = read.url('SMTP_URL', ['smtp:', 'smtps:'])
  const { username = '', password = '', hostname = 'localhost' } = smtp_url === undefined ? {} : new URL(smtp_url)
  const is_harmless = username === '' && password === '' && isLoopbackName(hostname)
  const tls = read.oneOf('SMTP_TLS', ['required', 'optional'], is_harmless ? 'optional' : 'required')
  const from = parseMailAddress(read.text('MAIL_FROM', 'Plaza <no-reply@plaza.localhost>'))
  if (!from)
    read.problem('MAIL_FROM must be one e-mail address, with a name or without: Plaza <no-reply@plaza.example.com>')
  return { smtp_url, requires_tls: tls === 'required', from: from ?? { name: '', address: '' } }
}

const processes_max = 256

/** `PROCESSES=4`, or `auto` for one per processor; if unset, this process serves alone. */
function readProcesses(read: EnvReader) {
  const text = read.text('PROCESSES')
  if (text === undefined) return undefined
  if (text === 'auto') return availableParallelism()
  const processes = Number(text)
  if (!Number.isInteger(processes) || processes < 1 || processes > processes_max)
    read.problem(`PROCESSES must be auto or a whole number from 1 to ${processes_max}`)
  return processes
}

const all_roles = ['api', 'worker', 'router'] as const
export type Role = (typeof all_roles)[number]

/** `ROLES=api,worker,router`: the roles of this process; all by default. */
function readRoles(read: EnvReader): Role[] {
  const given = read.list('ROLES')
  const roles = all_roles.filter((role) => given.length === 0 || given.includes(role))
  if (given.some((item) => !all_roles.some((role) => role === item)))
    read.problem(`ROLES must be a list of ${all_roles.join(', ')}`)
  return roles
}

/**
 * The origin in PUBLIC_URL, normalized by the URL standard: it is compared as text, and addresses are built by
 * appending to it.
 */
function readPublicUrl(read: EnvReader, port: number) {
  const text = read.url('PUBLIC_URL', ['http:', 'https:'], `http://localhost:${port}`)
  const { origin, pathname, search, hash, username, password } = new URL(text)
  if (/[^/]/.test(pathname) || search || hash || username || password)
    read.problem(
      'PUBLIC_URL must be a scheme and a host, such as https://plaza.example, without path, query, fragment or credentials',
    )
  return origin
}

/** Whether only people on this machine can reach the service, so that all deployments are their own. */
const isForOneMachine = (read: EnvReader, { host, public_url }: { host: string; public_url: string }) =>
  !read.isGiven('DATABASE_URL') && isLoopbackName(host) && isLoopbackName(new URL(public_url).hostname)

/** The settings of metrics, which are served if METRICS_PORT is set. */
function readMetrics(read: EnvReader) {
  const port =
    read.text('METRICS_PORT') === undefined ? undefined : read.integer('METRICS_PORT', 0, { min: 0, max: 65_535 })
  return { host: read.text('METRICS_HOST', '127.0.0.1'), port }
}

function readLimits(read: EnvReader) {
  const limits = decisions.rate_limits
  return {
    login: read.limit('RATE_LIMIT_LOGIN', limits.login),
    register: read.limit('RATE_LIMIT_REGISTER', limits.register),
    verify_email: read.limit('RATE_LIMIT_VERIFY_EMAIL', limits.verify_email),
    send_verification: read.limit('RATE_LIMIT_SEND_VERIFICATION', limits.send_verification),
    token: read.limit('RATE_LIMIT_TOKEN', limits.token),
    token_verify: read.limit('RATE_LIMIT_TOKEN_VERIFY', limits.token_verify),
  }
}

/** DNS servers for proofs of domains: `192.0.2.53, 127.0.0.1:5353, [::1]:53`. */
function readDnsServers(read: EnvReader) {
  const servers = read.list('DNS_SERVERS')
  for (const server of servers) {
    const [, bracketed, bare] = /^(?:\[([0-9a-f:]+)\](?::\d{1,5})?|([0-9.]+)(?::\d{1,5})?)$/.exec(server) ?? []
    if (isIP(bracketed ?? bare ?? server) === 0)
      read.problem(`DNS_SERVERS: "${server}" is not an address, with a port or without`)
  }
  return servers
}

function refuseContradictions(
  read: EnvReader,
  config: {
    public_url: string
    database_url: string | undefined
    secret_keys: string[]
    apps_domain: string
    processes: number | undefined
    roles: readonly Role[]
  },
) {
  const { hostname } = new URL(config.public_url)
  if (`.${hostname}`.endsWith(`.${config.apps_domain}`))
    read.problem('APPS_DOMAIN must not be the host of PUBLIC_URL nor contain it: apps could pass for the platform')
  if (config.secret_keys.some((key) => key.length < 32))
    read.problem('SECRET_KEYS: every key needs at least 32 characters (the first signs, all verify)')
  if (config.database_url !== undefined && config.secret_keys.length === 0 && !read.isGiven('SECRET_KEYS'))
    read.problem('SECRET_KEYS is required with DATABASE_URL: all processes on one database must share it')
  if (config.processes !== undefined && !config.roles.includes('api'))
    read.problem('PROCESSES needs the role api in ROLES: workers and routers are one process each')
}
