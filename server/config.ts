import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { decisions } from '../contract/decisions.ts'
import { engines } from '../contract/kinds/engines.ts'
import type { Tier } from './accounts/rules.ts'
import { parseEngineSpec, type EngineSpec } from './hosting/engine/open.ts'
import { isRegistryHost } from './hosting/api/image.rules.ts'
import { default_timing } from './hosting/control/timing.rules.ts'
import { isSecurityContact } from './pages/security-txt.rules.ts'
import { parseDatabaseUrl } from './platform/postgres/url.ts'
import { EnvReader, type Env } from './platform/env-reader.ts'
import { parseMailAddress } from './platform/mail-address.ts'
import { code_root } from './platform/package.ts'
import { connections_default, connections_min } from './processes/connection-budget.ts'

export type Config = ReturnType<typeof readConfig>

const day_seconds = 86_400

/** Settings that are secret or hold a password. `<NAME>_FILE` may name a file with the value instead. */
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
    learning_dir: read.text('LEARNING_DIR', join(code_root, 'content/learning')),
    log_level: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    data_volume: read.oneOf('DATA_VOLUME', ['any', 'required'], 'any'),
    metrics: readMetrics(read),
    missing_keys: readMissingKeys(read),
    backups: readBackups(read),
    trusted_proxies: read.networks('TRUSTED_PROXIES'),
    drain_api_seconds: read.integer('DRAIN_SECONDS_API', decisions.draining.drain_seconds, { min: 0, max: 600 }),
    shutdown_seconds: read.integer('SHUTDOWN_SECONDS', 20, { min: 1, max: 600 }),
    mail: readMail(read),
    ...readAdmin(read),
    lifetimes: readLifetimes(read),
    session_heartbeat_seconds: read.integer('SESSION_HEARTBEAT', decisions.app_sessions.heartbeat_seconds, {
      min: 1,
      max: day_seconds,
    }),
    ...readGifts(read),
    ad_repeats: readAdRepeats(read),
    ...readWords(read),
    events_heartbeat_seconds: read.integer('EVENTS_HEARTBEAT', decisions.event_streams.heartbeat_seconds, {
      min: 1,
      max: 300,
    }),
    tiers: readTiers(read),
    registries: readRegistries(read),
    billing: read.oneOf('BILLING', ['off', 'on'], 'off') === 'on',
    dns_servers: readDnsServers(read),
    logo_addresses: read.oneOf('LOGO_ADDRESSES', ['public', 'any'], 'public'),
    webhook_addresses: read.oneOf('WEBHOOK_ADDRESSES', ['public', 'any'], 'public'),
    client_documents: read.oneOf('CLIENT_DOCUMENTS', ['public', 'any', 'off'], 'public'),
    security_contacts: readSecurityContacts(read),
    limits: readLimits(read),
    roles: readRoles(read),
    apps_domain: readAppsDomain(read),
    router: readRouter(read),
    containers: readContainers(read),
  }
  config.containers.isolation ??= isForOneMachine(read, config) ? 'trusted' : undefined
  refuseContradictions(read, config)
  const ignored = read.unknownSettings(own_prefixes)
  read.finish()
  return { ...config, ignored }
}

const readAdmin = (read: EnvReader) => ({
  admin: { email: read.text('ADMIN_EMAIL'), password: read.text('ADMIN_PASSWORD') },
  admin_second_factor: read.oneOf('ADMIN_SECOND_FACTOR', ['advised', 'required'], 'advised'),
})

const readWords = (read: EnvReader) => ({
  reserved_usernames: read.list('RESERVED_USERNAMES'),
  chat_words: { deny: read.list('CHAT_DENY_WORDS'), allow: read.list('CHAT_ALLOW_WORDS') },
})

/** Where a process without the API role answers probes; undefined where it does not. */
function readProbesPort(read: EnvReader) {
  return read.text('PROBES_PORT') === undefined ? undefined : read.integer('PROBES_PORT', 0, { min: 0, max: 65_535 })
}

/** Variables that begin so are taken for settings of Plaza. */
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
  /** A space of its own for trials, on a database of its own (D-102). */
  is_sandbox: boolean
}

/** Reads some settings. Throws a `ConfigError` that names every problem. */
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

/** Of a sandbox another one, so that both can be started in one folder. */
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

/** Scheduled backups. */
export interface BackupConfig {
  dir: string
  every_hours: number
  /** How many are kept. */
  keep: number
}

/** Reads the settings of a command about backups. `scheduled` is undefined where nothing is backed up by itself. */
export const readBackupConfig = (env: Env): { scheduled: BackupConfig | undefined; allow_missing_keys: boolean } =>
  readSettings(env, (read) => ({
    scheduled: readBackups(read),
    allow_missing_keys: readMissingKeys(read) === 'allow',
  }))

const readMissingKeys = (read: EnvReader) => read.oneOf('MISSING_KEYS', ['refuse', 'allow'], 'refuse')

/** The embedded database is backed up into its data folder by default; one of an operator's only where BACKUP_DIR says so. */
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

/** One server: what is read on it and how far it is behind must be of the same. */
function readReplicaUrl(read: EnvReader) {
  const text = readDatabaseUrl(read, 'DATABASE_REPLICA_URL')
  if (text !== undefined && parseDatabaseUrl(text).servers.length > 1)
    read.problem('DATABASE_REPLICA_URL must name one server')
  if (text !== undefined && !read.isGiven('DATABASE_URL'))
    read.problem('DATABASE_REPLICA_URL needs DATABASE_URL: the primary that it is a replica of')
  return text
}

/**
 * The mail server. Where it gets a password, or mails with codes over a network, they go over TLS only, unless SMTP_TLS says otherwise.
 */
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

/** `PROCESSES=4`, or `auto` for one per processor; unset: this process serves by itself. */
function readProcesses(read: EnvReader) {
  const text = read.text('PROCESSES')
  if (text === undefined) return undefined
  if (text === 'auto') return availableParallelism()
  const processes = Number(text)
  if (!Number.isInteger(processes) || processes < 1 || processes > processes_max)
    read.problem(`PROCESSES must be auto or a whole number from 1 to ${processes_max}`)
  return processes
}

function readLifetimes(read: EnvReader) {
  const lifetimes = decisions.app_tokens
  const bounds = { min: 1, max: 10 * 366 * day_seconds }
  return {
    jwt_seconds: read.integer('JWT_TTL', decisions.login_tokens.jwt_seconds, bounds),
    access_token_seconds: read.integer('ACCESS_TOKEN_TTL', lifetimes.access_token_seconds, bounds),
    refresh_token_seconds: read.integer('REFRESH_TOKEN_TTL', lifetimes.refresh_token_seconds, bounds),
    session_token_seconds: read.integer('SESSION_TOKEN_TTL', lifetimes.session_token_seconds, bounds),
  }
}

/** How often a person may see a campaign in an hour; undefined without a limit. */
const readAdRepeats = (read: EnvReader) =>
  (read.text('AD_REPEATS') ?? 'off') === 'off' ? undefined : read.integer('AD_REPEATS', 1, { min: 1, max: 10_000 })

/** Points that people get for registering and for referrals (D-17). */
function readGifts(read: EnvReader) {
  const gifts = decisions.gifts
  const bounds = { min: 0, max: 1_000_000_000 }
  return {
    signup_points: read.integer('SIGNUP_POINTS', gifts.signup_points, bounds),
    referral_points: read.integer('REFERRAL_POINTS', gifts.referral_points, bounds),
    /** Whether rewards wait for a verified address (D-116). */
    rewards: read.oneOf('REWARDS', ['when_verified', 'at_once'], 'when_verified'),
  }
}

const all_roles = ['api', 'worker', 'router'] as const
export type Role = (typeof all_roles)[number]

/** `ROLES=api,worker,router`: what this process does; all of it by default. */
function readRoles(read: EnvReader): Role[] {
  const given = read.list('ROLES')
  const roles = all_roles.filter((role) => given.length === 0 || given.includes(role))
  if (given.some((item) => !all_roles.some((role) => role === item)))
    read.problem(`ROLES must be a list of ${all_roles.join(', ')}`)
  return roles
}

const local_docker = '/var/run/docker.sock'

/** The settings of the worker role: container hosts, registry credentials, time limits. */
function readContainers(read: EnvReader) {
  return {
    hosts: readContainerHosts(read),
    network_range: readNetworkRange(read),
    registry_credentials: readRegistryCredentials(read),
    isolation: readIsolation(read),
    drain_seconds: read.integer('DRAIN_SECONDS', default_timing.drain_seconds, { min: 0, max: 600 }),
    start_seconds: read.integer('START_SECONDS', default_timing.start_seconds, { min: 1, max: 600 }),
    replace_lost_seconds: read.integer('REPLACE_LOST_SECONDS', default_timing.replace_lost_seconds, {
      min: 0,
      max: day_seconds,
    }),
  }
}

/**
 * `CONTAINER_HOSTS=a=docker+unix:///path/docker.sock?address=10.0.0.1, b=podman+unix:///path, c=swarm+unix:///path`; the machine's
 * own Docker by default, where it has one.
 */
function readContainerHosts(read: EnvReader): EngineSpec[] {
  const given = read.list('CONTAINER_HOSTS')
  if (given.length === 0 && existsSync(local_docker))
    return [{ name: 'local', kind: 'docker', socket_path: local_docker, address: '127.0.0.1' }]
  const specs = given.flatMap((item) => {
    const spec = parseEngineSpec(item)
    if (spec && (engines[spec.kind].has_nodes || isIP(spec.address) !== 0)) return [spec]
    read.problem(
      `CONTAINER_HOSTS: "${item}" must look like name=docker+unix:///path/docker.sock?address=127.0.0.1, the same with podman, ` +
        'or name=swarm+unix:///path/docker.sock?manager=/path/of/another.sock',
    )
    return []
  })
  if (new Set(specs.map(({ name }) => name)).size < specs.length) read.problem('CONTAINER_HOSTS names a host twice')
  const sockets = specs.flatMap(({ socket_path, more_managers = [] }) => [socket_path, ...more_managers])
  if (new Set(sockets).size < sockets.length)
    read.problem('CONTAINER_HOSTS names a socket twice: its containers would be counted as two hosts')
  return specs
}

/**
 * Whether container hosts are probed before they run what is new (D-113). Undefined: they are, and one that cannot be probed is used
 * all the same; `checked`: such a one is not.
 */
function readIsolation(read: EnvReader): 'checked' | 'trusted' | undefined {
  return read.text('ISOLATION') === undefined ? undefined : read.oneOf('ISOLATION', ['checked', 'trusted'], 'checked')
}

/** The origin that PUBLIC_URL names, as the URL standard spells it: it is compared as text, and addresses are made by adding to it. */
function readPublicUrl(read: EnvReader, port: number) {
  const text = read.url('PUBLIC_URL', ['http:', 'https:'], `http://localhost:${port}`)
  const { origin, pathname, search, hash, username, password } = new URL(text)
  if (/[^/]/.test(pathname) || search || hash || username || password)
    read.problem(
      'PUBLIC_URL must be a scheme and a host, such as https://plaza.example, without path, query, fragment or credentials',
    )
  return origin
}

/** Whether only people on this machine reach the service: what they deploy is their own. */
const isForOneMachine = (read: EnvReader, { host, public_url }: { host: string; public_url: string }) =>
  !read.isGiven('DATABASE_URL') && isLoopbackName(host) && isLoopbackName(new URL(public_url).hostname)

const isLoopbackName = (name: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(name)

/** The range of addresses for the networks of apps. */
function readNetworkRange(read: EnvReader) {
  const range = read.text('NETWORK_RANGE', '10.240.0.0/14')
  const [address = '', bits = ''] = range.split('/')
  if (isIP(address) !== 4 || !/^\d{1,2}$/.test(bits) || Number(bits) < 8 || Number(bits) > 24)
    read.problem('NETWORK_RANGE must be an IPv4 network of at most 24 bits, such as 10.240.0.0/14')
  return range
}

function readRegistryCredentials(read: EnvReader) {
  const username = read.text('REGISTRY_PRIVATE_USERNAME')
  const password = read.text('REGISTRY_PRIVATE_PASSWORD')
  if ((username !== undefined) !== read.isGiven('REGISTRY_PRIVATE_PASSWORD'))
    read.problem('REGISTRY_PRIVATE_USERNAME and REGISTRY_PRIVATE_PASSWORD must be set together')
  if (username === undefined || password === undefined) return undefined
  if ((read.text('REGISTRY_PRIVATE') ?? 'off') === 'off')
    read.problem('REGISTRY_PRIVATE_USERNAME needs REGISTRY_PRIVATE: the registry that it is for')
  return { username, password }
}

/** The parent domain of deployments, in lower case. */
function readAppsDomain(read: EnvReader) {
  const domain = read.text('APPS_DOMAIN', 'apps.localhost').toLowerCase().replace(/\.$/, '')
  if (domain.length > 220 || !/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain))
    read.problem('APPS_DOMAIN must be a domain name such as apps.example.com')
  return domain
}

function readRouter(read: EnvReader) {
  return {
    host: read.text('ROUTER_HOST', 'localhost'),
    port: read.integer('ROUTER_PORT', 3080, { min: 0, max: 65_535 }),
    /** With an explicit port the router runs even where no container host is configured: workers may run on other machines. */
    port_given: read.text('ROUTER_PORT') !== undefined,
    hold_seconds: read.integer('ROUTER_HOLD', 5, { min: 0, max: 60 }),
    connect_seconds: read.integer('ROUTER_CONNECT_TIMEOUT', 5, { min: 1, max: 60 }),
    answer_seconds: read.integer('ROUTER_ANSWER_TIMEOUT', 300, { min: 1, max: 86_400 }),
    connections_max: read.integer('ROUTER_CONNECTIONS_MAX', 1_000, { min: 1, max: 1_000_000 }),
  }
}

/** Metrics are served where METRICS_PORT is set. */
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

/** The registries of images (D-59); `off` switches one off, and the private one has no default (D-113). */
function readRegistries(read: EnvReader) {
  const host = (name: string, by_default?: string) => {
    const text = read.text(name) ?? by_default
    if (text === 'off') return undefined
    if (text !== undefined && !isRegistryHost(text))
      read.problem(`${name} must be off, or a host in small letters, with a port or without: registry.example:5000`)
    return text
  }
  const { public_host, code_host } = decisions.default_registries
  const registries = {
    private: host('REGISTRY_PRIVATE'),
    public: host('REGISTRY_PUBLIC', public_host),
    code_host: host('REGISTRY_CODE_HOST', code_host),
  }
  const named = Object.values(registries).filter((text) => text !== undefined)
  if (new Set(named).size < named.length)
    read.problem('REGISTRY_PRIVATE, REGISTRY_PUBLIC and REGISTRY_CODE_HOST must differ')
  return registries
}

/** Where faults of security are reported: `mailto:security@example.com, https://example.com/security`. */
function readSecurityContacts(read: EnvReader) {
  const contacts = read.list('SECURITY_CONTACT')
  for (const contact of contacts)
    if (!isSecurityContact(contact))
      read.problem(`SECURITY_CONTACT: "${contact}" must be an address such as mailto:security@example.com or https://…`)
  return contacts
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

/** `TIERS=bronze 🥉, silver 🥈`: name and emoji; new users get the first (D-16). */
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

function refuseContradictions(
  read: EnvReader,
  config: {
    public_url: string
    database_url: string | undefined
    secret_keys: string[]
    apps_domain: string
    admin: { email: string | undefined; password: string | undefined }
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
  if ((config.admin.email !== undefined) !== read.isGiven('ADMIN_PASSWORD'))
    read.problem('ADMIN_EMAIL and ADMIN_PASSWORD must be set together')
  if (config.admin.email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(config.admin.email))
    read.problem('ADMIN_EMAIL must be an e-mail address')
  const { password_min, password_max } = decisions.passwords
  const { length } = [...(config.admin.password ?? 'x'.repeat(password_min))]
  if (length < password_min || length > password_max)
    read.problem(`ADMIN_PASSWORD needs ${password_min} to ${password_max} characters`)
}
