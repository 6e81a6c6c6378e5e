import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decisions } from '../contract/decisions.ts'
import { readConfig, readDatabaseConfig } from './config.ts'
import { ConfigError, type Env } from './platform/env-reader.ts'
import { poolSizes } from './processes/connection-budget.ts'

const key = 'a key that is long enough for the rule'

function problemsOf(env: Env): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('an empty environment gives the defaults', () => {
  const { id: _, ...limits } = decisions.rate_limits
  expect(readConfig({})).toMatchObject({
    host: 'localhost',
    port: 3000,
    public_url: 'http://localhost:3000',
    database_url: undefined,
    data_dir: './data',
    log_level: 'info',
    secret_keys: [],
    trusted_proxies: [],
    shutdown_seconds: 20,
    drain_api_seconds: decisions.draining.drain_seconds,
    mail: { smtp_url: undefined, requires_tls: false, from: { name: 'Plaza', address: 'no-reply@plaza.localhost' } },
    admin: { email: undefined, password: undefined },
    jwt_seconds: 43_200,
    lifetimes: {
      access_token_seconds: 3600,
      refresh_token_seconds: 2_592_000,
      refresh_token_max_seconds: 15_552_000,
      session_token_seconds: 900,
    },
    session_heartbeat_seconds: 120,
    signup_points: 0,
    referral_points: 0,
    tiers: decisions.membership.tiers,
    registries: { private: undefined, public: 'docker.io', code_host: 'ghcr.io' },
    apps_domain: 'apps.localhost',
    billing: false,
    dns_servers: [],
    logo_addresses: 'public',
    webhook_addresses: 'public',
    client_documents: 'public',
    security_contacts: [],
    limits,
  })
})

test('PROCESSES: a number, or auto for one per processor; without it one process serves by itself', () => {
  expect(readConfig({ PROCESSES: '3' }).processes).toBe(3)
  expect(readConfig({ PROCESSES: 'auto' }).processes).toBe(availableParallelism())
  expect(readConfig({}).processes).toBeUndefined()
  for (const wrong of ['0', '257', '1.5', 'many', '-1'])
    expect(problemsOf({ PROCESSES: wrong })).toEqual(['PROCESSES must be auto or a whole number from 1 to 256'])
  expect(problemsOf({ PROCESSES: '2', ROLES: 'worker,router' })).toEqual([
    'PROCESSES needs the role api in ROLES: workers and routers are one process each',
  ])
})

test('DATABASE_REPLICA_URL names one server beside DATABASE_URL, and no problem of it holds its password', () => {
  const primary = { DATABASE_URL: 'postgres://db.test/plaza', SECRET_KEYS: key }
  const DATABASE_REPLICA_URL = 'postgres://plaza:hush@replica.test/plaza'
  expect(readConfig({ ...primary, DATABASE_REPLICA_URL })).toMatchObject({
    replica_url: DATABASE_REPLICA_URL,
    replica_lag_max_seconds: 10,
  })
  const in_file = { DATABASE_REPLICA_URL_FILE: secretFile('replica', `${DATABASE_REPLICA_URL}\n`) }
  expect(readConfig({ ...primary, ...in_file, REPLICA_LAG_MAX: '3' })).toMatchObject({
    replica_url: DATABASE_REPLICA_URL,
    replica_lag_max_seconds: 3,
  })
  expect(problemsOf({ DATABASE_REPLICA_URL })).toEqual([
    'DATABASE_REPLICA_URL needs DATABASE_URL: the primary that it is a replica of',
  ])
  expect(problemsOf({ ...primary, DATABASE_REPLICA_URL: 'postgres://u:hush@r1,r2/plaza' })).toEqual([
    'DATABASE_REPLICA_URL must name one server',
  ])
  expect(problemsOf({ ...primary, DATABASE_REPLICA_URL: 'http://hush' })).toEqual([
    'DATABASE_REPLICA_URL must be a URL that begins with postgres:// or postgresql://',
  ])
  expect(problemsOf({ ...primary, DATABASE_REPLICA_URL, REPLICA_LAG_MAX: '0' })).toEqual([
    'REPLICA_LAG_MAX must be a whole number from 1 to 3600',
  ])
})

test('DATABASE_CONNECTIONS is the sum of all connections of a process', () => {
  expect(poolSizes(readConfig({}))).toEqual({ pool_size: 9, patient_size: 4 })
  expect(poolSizes(readConfig({ DATABASE_CONNECTIONS: '22' }))).toEqual({ pool_size: 4, patient_size: 1 })
  expect(poolSizes(readConfig({ DATABASE_CONNECTIONS: '100' }))).toEqual({ pool_size: 79, patient_size: 4 })
  expect(problemsOf({ DATABASE_CONNECTIONS: '21' })).toEqual([
    'DATABASE_CONNECTIONS must be a whole number from 22 to 1000',
  ])
})

test('METRICS_PORT and METRICS_HOST: where metrics are served; nowhere without a port', () => {
  expect(readConfig({}).metrics).toEqual({ host: '127.0.0.1', port: undefined })
  expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 })
  expect(readConfig({ METRICS_PORT: '0', METRICS_HOST: '0.0.0.0' }).metrics).toEqual({ host: '0.0.0.0', port: 0 })
  expect(readConfig({ METRICS_PORT: ' ', METRICS_HOST: ' ' }).metrics).toEqual({ host: '127.0.0.1', port: undefined })
  for (const wrong of ['65536', '-1', '9464.5', 'on', '127.0.0.1:9464'])
    expect(problemsOf({ METRICS_PORT: wrong })).toEqual(['METRICS_PORT must be a whole number from 0 to 65535'])
  expect(problemsOf({ METRIC_PORT: '9464' })).toEqual(['METRIC_PORT is not a setting: did you mean METRICS_PORT?'])
  expect(problemsOf({ METRICS_HOSTS: '0.0.0.0' })).toEqual([
    'METRICS_HOSTS is not a setting: did you mean METRICS_HOST?',
  ])
  expect(readConfig({ METRICS_PATH: '/prometheus' }).ignored).toEqual(['METRICS_PATH is not a setting, and is ignored'])
})

test('every setting is read', () => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '8080',
    PUBLIC_URL: 'https://plaza.test/',
    DATABASE_URL: 'postgres://plaza@db.test/plaza',
    DATA_DIR: '/var/lib/plaza',
    LOG_LEVEL: 'debug',
    SECRET_KEYS: `${key} 1, ${key} 2`,
    TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, 2001:db8::/32, loopback',
    SHUTDOWN_SECONDS: '5',
    DRAIN_SECONDS_API: '7',
    SMTP_URL: 'smtps://user:pass@mail.test',
    MAIL_FROM: 'Post <post@plaza.test>',
    ADMIN_EMAIL: 'root@plaza.test',
    ADMIN_PASSWORD: 'a long password',
    JWT_TTL: '60',
    ACCESS_TOKEN_TTL: '61',
    REFRESH_TOKEN_TTL: '62',
    REFRESH_TOKEN_MAX_TTL: '64',
    SESSION_TOKEN_TTL: '63',
    SESSION_HEARTBEAT: '64',
    SIGNUP_POINTS: '65',
    REFERRAL_POINTS: '66',
    SEND_PROOF_ABOVE: '67',
    SEND_DAILY_LIMIT: '68',
    EARNINGS_HELD_DAYS: '69',
    PAYOUT_DAILY_LIMIT: '70',
    REVIEW_AMOUNT: '71',
    TIERS: 'seed 🌱, tree 🌳',
    REGISTRY_PRIVATE: 'registry.plaza.test:5000',
    REGISTRY_PUBLIC: 'public.test',
    REGISTRY_CODE_HOST: 'code.test',
    APPS_DOMAIN: 'apps.plaza.test',
    BILLING: 'on',
    DNS_SERVERS: '192.0.2.53, 127.0.0.1:5353, [2001:db8::53]:53, 2001:db8::1',
    LOGO_ADDRESSES: 'any',
    WEBHOOK_ADDRESSES: 'any',
    CLIENT_DOCUMENTS: 'off',
    SECURITY_CONTACT: 'mailto:security@plaza.test, https://plaza.test/security',
    RATE_LIMIT_LOGIN: '1/2',
    RATE_LIMIT_REGISTER: '3/4',
    RATE_LIMIT_VERIFY_EMAIL: '5/6',
    RATE_LIMIT_SEND_VERIFICATION: '7/8',
    RATE_LIMIT_TOKEN: '9/10',
    RATE_LIMIT_TOKEN_VERIFY: 'off',
  })
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    public_url: 'https://plaza.test',
    database_url: 'postgres://plaza@db.test/plaza',
    data_dir: '/var/lib/plaza',
    log_level: 'debug',
    secret_keys: [`${key} 1`, `${key} 2`],
    trusted_proxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', 'loopback'],
    shutdown_seconds: 5,
    drain_api_seconds: 7,
    mail: { smtp_url: 'smtps://user:pass@mail.test', from: { name: 'Post', address: 'post@plaza.test' } },
    admin: { email: 'root@plaza.test', password: 'a long password' },
    jwt_seconds: 60,
    lifetimes: {
      access_token_seconds: 61,
      refresh_token_seconds: 62,
      refresh_token_max_seconds: 64,
      session_token_seconds: 63,
    },
    session_heartbeat_seconds: 64,
    signup_points: 65,
    referral_points: 66,
    send_proof_above: 67,
    send_daily_limit: 68,
    earnings_held_days: 69,
    payout_daily_limit: 70,
    tiers: [
      { name: 'seed', emoji: '🌱' },
      { name: 'tree', emoji: '🌳' },
    ],
    registries: { private: 'registry.plaza.test:5000', public: 'public.test', code_host: 'code.test' },
    apps_domain: 'apps.plaza.test',
    billing: true,
    dns_servers: ['192.0.2.53', '127.0.0.1:5353', '[2001:db8::53]:53', '2001:db8::1'],
    logo_addresses: 'any',
    webhook_addresses: 'any',
    client_documents: 'off',
    security_contacts: ['mailto:security@plaza.test', 'https://plaza.test/security'],
    limits: {
      login: { requests: 1, seconds: 2 },
      register: { requests: 3, seconds: 4 },
      verify_email: { requests: 5, seconds: 6 },
      send_verification: { requests: 7, seconds: 8 },
      token: { requests: 9, seconds: 10 },
      token_verify: 'off',
    },
  })
})

test('all problems are reported at once, each with the name of its setting', () => {
  const problems = problemsOf({
    PORT: 'http',
    PUBLIC_URL: 'plaza.test',
    DATABASE_URL: 'mysql://db.test/plaza',
    LOG_LEVEL: 'loud',
    JWT_TTL: '0',
    TIERS: 'seed',
    RATE_LIMIT_LOGIN: '30 per minute',
    TRUSTED_PROXIES: 'proxy.test',
    ADMIN_EMAIL: 'root@plaza.test',
  })
  expect(problems.map((problem) => /^[A-Z_]+/.exec(problem)?.[0])).toEqual([
    'PORT',
    'PUBLIC_URL',
    'DATABASE_URL',
    'LOG_LEVEL',
    'TRUSTED_PROXIES',
    'RATE_LIMIT_LOGIN',
    'JWT_TTL',
    'TIERS',
    'ADMIN_EMAIL',
  ])
  expect(() => readConfig({ PORT: 'http', LOG_LEVEL: 'loud' })).toThrow(
    'The configuration has problems:\n  PORT must be a whole number from 0 to 65535\n  LOG_LEVEL must be one of ',
  )
})

const bad: [string, string[], Env?][] = [
  ['PORT', ['-1', '65536', '3000.5', 'x', '3000 4000']],
  [
    'PUBLIC_URL',
    [
      'plaza.test',
      'ftp://plaza.test',
      'https://plaza.test/?a=1',
      'https://plaza.test/#a',
      'https://u:p@plaza.test',
      'https://u@plaza.test',
      'https://plaza.test/base',
      'https://plaza.test/base/',
      'https:\\\\plaza.test\\base',
      'https://plaza.test:99999',
      'https://',
    ],
  ],
  ['DATABASE_URL', ['db.test', 'http://db.test'], { SECRET_KEYS: key }],
  ['LOG_LEVEL', ['trace', 'INFO']],
  ['SHUTDOWN_SECONDS', ['0', '601', 'soon']],
  ['DRAIN_SECONDS_API', ['-1', '601', 'x']],
  ['SMTP_URL', ['mail.test', 'http://mail.test']],
  ['SECRET_KEYS', ['short', `${key},short`]],
  ['TRUSTED_PROXIES', ['proxy.test', '10.0.0.0/33', '10.0.0', '10.0.0.0/8/8', '10.0.0.0/', '::1/129', '1.2.3.4, x']],
  ['JWT_TTL', ['0', '-5', '1.5', '12h']],
  ['ACCESS_TOKEN_TTL', ['0', 'x']],
  ['REFRESH_TOKEN_TTL', ['0', 'x']],
  ['REFRESH_TOKEN_MAX_TTL', ['0', 'x']],
  ['SESSION_TOKEN_TTL', ['0', 'x']],
  ['SESSION_HEARTBEAT', ['0', '86401']],
  ['SIGNUP_POINTS', ['-1', '1.5', '1000000001']],
  ['REFERRAL_POINTS', ['-1', '1.5', '1000000001']],
  ['SEND_PROOF_ABOVE', ['-1', '1.5', '1000000001']],
  ['EARNINGS_HELD_DAYS', ['-1', '0.5', '366']],
  ['PAYOUT_DAILY_LIMIT', ['-1', '1.5', '1000000001']],
  ['REVIEW_AMOUNT', ['-1', '1.5', '1000000001']],
  ['SEND_DAILY_LIMIT', ['-1', '1.5', '1000000001']],
  ['TIERS', ['seed', 'seed 🌱 more', 'seed 🌱, seed 🌳']],
  ['REGISTRY_PRIVATE', ['Registry.test', 'https://registry.test', 'registry.test/x', 'registry.test:0', 'a b']],
  ['REGISTRY_PUBLIC', ['u@registry.test', 'registry.test.']],
  ['REGISTRY_CODE_HOST', ['-registry.test', 'registry..test']],
  ['APPS_DOMAIN', ['apps', '*.test', 'apps.test:80', 'apps_test.example', `${'a.'.repeat(120)}test`]],
  ['ROLES', ['web', 'api,routers', 'API']],
  ['ROUTER_PORT', ['-1', '65536', 'x']],
  ['ROUTER_HOLD', ['-1', '61']],
  ['ROUTER_CONNECT_TIMEOUT', ['0', '61']],
  ['ROUTER_ANSWER_TIMEOUT', ['0', '86401']],
  ['ROUTER_CONNECTIONS_MAX', ['0', '1.5']],
  ['BILLING', ['yes', 'ON', '1']],
  ['LOGO_ADDRESSES', ['private', 'PUBLIC']],
  ['WEBHOOK_ADDRESSES', ['private', 'PUBLIC']],
  ['CLIENT_DOCUMENTS', ['on', 'PUBLIC', 'private']],
  [
    'SECURITY_CONTACT',
    [
      'security@plaza.test',
      'http://plaza.test/security',
      'mailto:',
      'mailto:security',
      'mailto:a@b@plaza.test',
      'mailto:a b@plaza.test',
      'mailto:a@plaza.test>',
      'https://',
      'https://u:p@plaza.test/',
      'https://plaza.test/a b',
      'https://plaza.test/ü',
      'tel:+1',
      'mailto:security@plaza.test, security',
    ],
  ],
  ['DNS_SERVERS', ['dns.test', '1.2.3', '1.2.3.4:x', '[1.2.3.4]:53', '::1:53:x']],
  ['RATE_LIMIT_LOGIN', ['30', '0/60', '30/0', '-1/60', '1/60/2', 'none']],
  ['RATE_LIMIT_TOKEN_VERIFY', ['1.5/60', '1e3/60']],
  ['ADMIN_EMAIL', ['root', 'root@'], { ADMIN_PASSWORD: 'a long password' }],
  ['ADMIN_PASSWORD', ['7 chars', 'x'.repeat(1025)], { ADMIN_EMAIL: 'root@plaza.test' }],
]

test.each(bad)('%s: bad values are one problem that names it', (name, values, others = {}) => {
  for (const value of values)
    expect([value, problemsOf({ ...others, [name]: value })]).toEqual([
      value,
      [expect.stringMatching(new RegExp(`^${name}\\b`))],
    ])
})

test('D-113: off switches a registry off; the private one has no default', () => {
  const all_off = { REGISTRY_PRIVATE: 'off', REGISTRY_PUBLIC: 'off', REGISTRY_CODE_HOST: 'off' }
  expect(readConfig(all_off).registries).toEqual({ private: undefined, public: undefined, code_host: undefined })
})

test('the two registries must differ', () => {
  expect(problemsOf({ REGISTRY_PUBLIC: 'one.test', REGISTRY_CODE_HOST: 'one.test' })).toEqual([
    'REGISTRY_PRIVATE, REGISTRY_PUBLIC and REGISTRY_CODE_HOST must differ',
  ])
})

test('the domain of apps is a sibling or a child of the platform’s, never a parent or the same', () => {
  const faults = (PUBLIC_URL: string, APPS_DOMAIN: string) => problemsOf({ PUBLIC_URL, APPS_DOMAIN })
  expect(faults('https://plaza.test', 'apps.plaza.test')).toEqual([])
  expect(faults('https://plaza.test', 'plaza-apps.test')).toEqual([])
  expect(faults('https://xapps.plaza.test', 'apps.plaza.test')).toEqual([])
  for (const url of ['https://apps.plaza.test', 'https://api.apps.plaza.test:8443', 'https://a.b.apps.plaza.test'])
    expect([url, ...faults(url, 'apps.plaza.test')]).toEqual([
      url,
      'APPS_DOMAIN must not be the host of PUBLIC_URL nor contain it: apps could pass for the platform',
    ])
})

test('no problem quotes a secret', () => {
  const text = problemsOf({
    SECRET_KEYS: 'hush1',
    ADMIN_PASSWORD: 'hush2',
    DATABASE_URL: 'http://u:hush3@db.test',
    SMTP_URL: 'http://u:hush4@mail.test',
  }).join('\n')
  expect(text).not.toContain('hush')
})

test('a database of several processes needs keys that they share', () => {
  expect(problemsOf({ DATABASE_URL: 'postgres://db.test/plaza' })).toEqual([
    expect.stringContaining('SECRET_KEYS is required with DATABASE_URL'),
  ])
})

test('the first admin needs both address and password', () => {
  for (const env of [{ ADMIN_EMAIL: 'root@plaza.test' }, { ADMIN_PASSWORD: 'a long password' }])
    expect(problemsOf(env)).toEqual(['ADMIN_EMAIL and ADMIN_PASSWORD must be set together'])
})

test('values are trimmed, and an empty value counts as not set', () => {
  expect(readConfig({ PORT: ' 8080 ', HOST: ' ', SMTP_URL: '', TIERS: ' , ', SECRET_KEYS: '' })).toMatchObject({
    port: 8080,
    host: 'localhost',
    mail: { smtp_url: undefined },
    tiers: decisions.membership.tiers,
    secret_keys: [],
  })
})

test('the default public URL uses the port', () => {
  expect(readConfig({ PORT: '4001' }).public_url).toBe('http://localhost:4001')
})

test.each([
  ['https:plaza.test', 'https://plaza.test'],
  ['https:\\\\plaza.test\\', 'https://plaza.test'],
  ['HTTPS://Plaza.TEST', 'https://plaza.test'],
  ['https://plaza.test:443/', 'https://plaza.test'],
  ['http://plaza.test:080', 'http://plaza.test'],
  ['https://plaza.test:8443//', 'https://plaza.test:8443'],
  ['http://[::0001]:3000', 'http://[::1]:3000'],
  ['https://pläza.test', 'https://xn--plza-moa.test'],
])('O9: PUBLIC_URL %s is %s', (PUBLIC_URL, public_url) => {
  expect(readConfig({ PUBLIC_URL }).public_url).toBe(public_url)
})

test('O9: a PUBLIC_URL with more than a host is a problem that says so', () => {
  expect(problemsOf({ PUBLIC_URL: 'https://plaza.test/base' })).toEqual([
    'PUBLIC_URL must be a scheme and a host, such as https://plaza.example, without path, query, fragment or credentials',
  ])
})

test('D-113: apps are trusted where only this machine reaches the service; elsewhere their isolation is checked', () => {
  const isolationOf = (env: Env) => readConfig(env).containers.isolation
  const keys = { SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule' }
  expect(isolationOf({})).toBe('trusted')
  expect(isolationOf({ PUBLIC_URL: 'http://127.0.0.1:80', HOST: '127.0.0.1' })).toBe('trusted')
  for (const env of [
    { PUBLIC_URL: 'https://plaza.test' },
    { PUBLIC_URL: 'http://localhost.plaza.test' },
    { HOST: '0.0.0.0' },
    { DATABASE_URL: 'postgres:///plaza', ...keys },
  ])
    expect([env, isolationOf(env)]).toEqual([env, undefined])
  expect(isolationOf({ ISOLATION: 'checked' })).toBe('checked')
  expect(isolationOf({ ISOLATION: 'trusted', PUBLIC_URL: 'https://plaza.test' })).toBe('trusted')
  expect(() => isolationOf({ ISOLATION: 'off' })).toThrow('ISOLATION must be one of')
})

test('container hosts, the network range and the registry’s credentials are read', () => {
  const { containers } = readConfig({
    CONTAINER_HOSTS:
      'a=docker+unix:///run/a.sock?address=10.0.0.1, many=swarm+unix:///run/b.sock, three=swarm+unix:///run/c.sock?manager=/run/d.sock&manager=/run/e.sock, p=podman+unix:///run/p.sock',
    NETWORK_RANGE: '10.9.0.0/16',
    REGISTRY_PRIVATE: 'registry.test:5000',
    REGISTRY_PRIVATE_USERNAME: 'plaza',
    REGISTRY_PRIVATE_PASSWORD: 'secret',
    DRAIN_SECONDS: '0',
    START_SECONDS: '90',
    REPLACE_LOST_SECONDS: '120',
  })
  expect(containers).toEqual({
    hosts: [
      { name: 'a', kind: 'docker', socket_path: '/run/a.sock', address: '10.0.0.1' },
      { name: 'many', kind: 'swarm', socket_path: '/run/b.sock', address: '127.0.0.1' },
      {
        name: 'three',
        kind: 'swarm',
        socket_path: '/run/c.sock',
        more_managers: ['/run/d.sock', '/run/e.sock'],
        address: '127.0.0.1',
      },
      { name: 'p', kind: 'podman', socket_path: '/run/p.sock', address: '127.0.0.1' },
    ],
    network_range: '10.9.0.0/16',
    registry_credentials: { username: 'plaza', password: 'secret' },
    isolation: 'trusted',
    drain_seconds: 0,
    start_seconds: 90,
    replace_lost_seconds: 120,
  })
})

const host_form =
  'must look like name=docker+unix:///path/docker.sock?address=127.0.0.1, the same with podman, ' +
  'or name=swarm+unix:///path/docker.sock?manager=/path/of/another.sock'

test.each([
  [{ CONTAINER_HOSTS: 'tcp://somewhere:2375' }, `CONTAINER_HOSTS: "tcp://somewhere:2375" ${host_form}`],
  [
    { CONTAINER_HOSTS: 'a=docker+unix:///s?address=host' },
    `CONTAINER_HOSTS: "a=docker+unix:///s?address=host" ${host_form}`,
  ],
  [
    { CONTAINER_HOSTS: 'a=docker+unix:///s?manager=/t' },
    `CONTAINER_HOSTS: "a=docker+unix:///s?manager=/t" ${host_form}`,
  ],
  [{ CONTAINER_HOSTS: 'a=swarm+unix:///s?manager=t' }, `CONTAINER_HOSTS: "a=swarm+unix:///s?manager=t" ${host_form}`],
  [
    { CONTAINER_HOSTS: 'a=swarm+unix:///s?manager=/s' },
    'CONTAINER_HOSTS names a socket twice: its containers would be counted as two hosts',
  ],
  [{ CONTAINER_HOSTS: 'a=docker+unix:///s, a=docker+unix:///t' }, 'CONTAINER_HOSTS names a host twice'],
  [
    { CONTAINER_HOSTS: 'a=docker+unix:///s, b=docker+unix:///s' },
    'CONTAINER_HOSTS names a socket twice: its containers would be counted as two hosts',
  ],
  [{ NETWORK_RANGE: '10.0.0.0/30' }, 'NETWORK_RANGE must be an IPv4 network of at most 24 bits, such as 10.240.0.0/14'],
  [
    { REGISTRY_PRIVATE: 'r.test', REGISTRY_PRIVATE_USERNAME: 'plaza' },
    'REGISTRY_PRIVATE_USERNAME and REGISTRY_PRIVATE_PASSWORD must be set together',
  ],
  [
    { REGISTRY_PRIVATE_USERNAME: 'plaza', REGISTRY_PRIVATE_PASSWORD: 'secret' },
    'REGISTRY_PRIVATE_USERNAME needs REGISTRY_PRIVATE: the registry that it is for',
  ],
  [{ REPLACE_LOST_SECONDS: '-1' }, 'REPLACE_LOST_SECONDS must be a whole number from 0 to 86400'],
])('containers: %j is refused with its reason', (env, problem) => {
  expect(problemsOf(env)).toEqual([problem])
})

test.each([
  ['JWT_TLL', 'JWT_TTL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['RATE_LIMIT_LOGN', 'RATE_LIMIT_LOGIN'],
  ['SMPT_URL', 'SMTP_URL'],
  ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
])('%s is a misspelt setting: a start would ignore it, so it is refused', (misspelt, meant) => {
  expect(problemsOf({ [misspelt]: 'x' })).toEqual([`${misspelt} is not a setting: did you mean ${meant}?`])
})

test('a variable whose resembled setting is set too, or that has a prefix of Plaza’s settings, is only a warning', () => {
  expect(
    readConfig({ MAIL_FROM: 'Post <post@plaza.test>', MAIL_FORM: 'x', RATE_LIMIT_PASSWORDS: '1/60' }).ignored,
  ).toEqual([
    'MAIL_FORM is not a setting, and is ignored: MAIL_FROM is one, and set too',
    'RATE_LIMIT_PASSWORDS is not a setting, and is ignored',
  ])
})

test('variables of common environments are not mistaken for misspelt settings', () => {
  const names =
    'PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL LANG LC_ALL TERM TZ TMPDIR EDITOR PAGER MAIL DISPLAY HOSTNAME HOSTTYPE ' +
    'NODE NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS INIT_CWD COLOR CI DEBUG XDG_RUNTIME_DIR npm_config_user_agent ' +
    'npm_lifecycle_event npm_package_json PGHOST PGUSER PGDATABASE SMTP_HOST SMTP_USER SMTP_PASS POST ROLE HOSTS TIER ' +
    'INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET MAINPID LISTEN_FDS CREDENTIALS_DIRECTORY STATE_DIRECTORY LOGS_DIRECTORY ' +
    'KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR ROUTER_SERVICE_HOST ROUTER_PORT_3080_TCP REGISTRY_PORT_5000_TCP ' +
    'CONTAINER_NAME POSTGRES_PASSWORD POSTGRES_DB DATABASE_HOST DATABASE_NAME PUBLIC_KEY VITEST VITEST_POOL_ID'
  const env = Object.fromEntries(names.split(' ').map((name) => [name, 'x']))
  expect(problemsOf(env)).toEqual([])
  expect(readConfig(env).ignored).toEqual([])
})

const folder = mkdtempSync(join(tmpdir(), 'plaza-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function secretFile(name: string, content: string) {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

test('every secret setting is read from the file that <NAME>_FILE names, without the line break at its end', () => {
  const env = {
    DATABASE_URL_FILE: secretFile('database', 'postgres://plaza:hush@db.test/plaza\n'),
    SECRET_KEYS_FILE: secretFile('keys', `${key} 1\r\n${key} 2\r\n`),
    SMTP_URL_FILE: secretFile('smtp', ' smtps://user:hush@mail.test\n\n'),
    ADMIN_EMAIL: 'root@plaza.test',
    ADMIN_PASSWORD_FILE: secretFile('admin', 'a long password'),
    REGISTRY_PRIVATE: 'registry.test:5000',
    REGISTRY_PRIVATE_USERNAME: 'plaza',
    REGISTRY_PRIVATE_PASSWORD_FILE: secretFile('registry', 'secret\n'),
  }
  expect(readConfig(env)).toMatchObject({
    database_url: 'postgres://plaza:hush@db.test/plaza',
    secret_keys: [`${key} 1`, `${key} 2`],
    mail: { smtp_url: 'smtps://user:hush@mail.test' },
    admin: { email: 'root@plaza.test', password: 'a long password' },
    containers: { registry_credentials: { username: 'plaza', password: 'secret' } },
  })
  expect(readDatabaseConfig(env)).toMatchObject({ database_url: 'postgres://plaza:hush@db.test/plaza' })
})

test('a secret file that is missing, a folder, empty or too large is one problem that names its setting', () => {
  mkdirSync(join(folder, 'folder'))
  const faults: [string, string][] = [
    [join(folder, 'nothing'), 'which does not exist'],
    [join(secretFile('file', key), 'below'), 'which does not exist'],
    [join(folder, 'folder'), 'which is not a file'],
    ['/dev/zero', 'which is not a file'],
    [secretFile('empty', ' \n'), 'which is empty'],
    [secretFile('large', 'x'.repeat(65_537)), 'which is larger than 65536 bytes'],
  ]
  for (const [path, why] of faults) {
    expect(problemsOf({ DATABASE_URL: 'postgres://db.test/plaza', SECRET_KEYS_FILE: path })).toEqual([
      `SECRET_KEYS_FILE is ${path}, ${why}`,
    ])
    expect(problemsOf({ ADMIN_EMAIL: 'root@plaza.test', ADMIN_PASSWORD_FILE: path })).toEqual([
      `ADMIN_PASSWORD_FILE is ${path}, ${why}`,
    ])
    expect(() => readDatabaseConfig({ DATABASE_URL_FILE: path })).toThrow(`DATABASE_URL_FILE is ${path}, ${why}`)
  }
})

test('what a secret file holds is checked as the setting is, and never quoted', () => {
  expect(problemsOf({ SECRET_KEYS_FILE: secretFile('short', 'hush') })).toEqual([
    'SECRET_KEYS: every key needs at least 32 characters (the first signs, all verify)',
  ])
  const [problem = ''] = problemsOf({ SMTP_URL_FILE: secretFile('wrong', 'http://hush') })
  expect(problem).toMatch(/^SMTP_URL must be a URL/)
  expect(problem).not.toContain('hush')
})

test('a secret that is given both ways is a problem; so is a file for a setting that is no secret', () => {
  const SECRET_KEYS_FILE = secretFile('both', key)
  expect(problemsOf({ SECRET_KEYS: key, SECRET_KEYS_FILE })).toEqual([
    'SECRET_KEYS and SECRET_KEYS_FILE are both set: remove one of them',
  ])
  expect(problemsOf({ SECRET_KEYS: ' ', SECRET_KEYS_FILE })).toEqual([])
  expect(problemsOf({ SECRET_KEYS: key, SECRET_KEYS_FILE: '' })).toEqual([])
  expect(problemsOf({ MAIL_FROM_FILE: '/run/secrets/from' })).toEqual([
    'MAIL_FROM_FILE is not a setting: MAIL_FROM is no secret, and is set directly',
  ])
  expect(problemsOf({ SECRET_KEY_FILE: '/run/secrets/keys' })).toEqual([
    'SECRET_KEY_FILE is not a setting: did you mean SECRET_KEYS_FILE?',
  ])
})

test('scheduled backups: of the embedded database by default, of another one where BACKUP_DIR is set, and never with off', () => {
  const external = { DATABASE_URL: 'postgres://plaza@db.test/plaza', SECRET_KEYS: key }
  expect(readConfig({ DATA_DIR: '/data' }).backups).toEqual({ dir: '/data/backups', every_hours: 24, keep: 7 })
  expect(readConfig(external).backups).toBeUndefined()
  expect(readConfig({ ...external, BACKUP_DIR: '/mnt/backups', BACKUP_EVERY: '6', BACKUP_KEEP: '30' }).backups).toEqual(
    { dir: '/mnt/backups', every_hours: 6, keep: 30 },
  )
  expect(readConfig({ BACKUP_EVERY: 'off' }).backups).toBeUndefined()
  expect(problemsOf({ BACKUP_EVERY: '0', BACKUP_KEEP: 'all' })).toEqual([
    'BACKUP_EVERY must be a whole number from 1 to 744',
    'BACKUP_KEEP must be a whole number from 1 to 1000',
  ])
  expect(problemsOf({ BACKUP_DIRS: '/x' })).toEqual(['BACKUP_DIRS is not a setting: did you mean BACKUP_DIR?'])
  expect(readConfig({ BACKUP_COMPRESSION: '9' }).ignored).toHaveLength(1)
})

test('O4: a MAIL_FROM that is no address is a problem at the start', () => {
  const problem = 'MAIL_FROM must be one e-mail address, with a name or without: Plaza <no-reply@plaza.example.com>'
  for (const MAIL_FROM of ['Plaza', '"Plaza <post@plaza.test>', 'a@plaza.test, b@plaza.test'])
    expect(problemsOf({ MAIL_FROM })).toEqual([problem])
})

test.each([
  ['smtp://mail.test', true],
  ['smtp://127.0.0.1:25', false],
  ['smtp://[::1]', false],
  ['smtp://localhost', false],
  ['smtp://user:pw@localhost', true],
  ['smtp://user@127.0.0.1', true],
  ['smtp://localhost.mail.test', true],
  ['smtps://mail.test', true],
])('O5: whether %s requires TLS: %s; SMTP_TLS decides otherwise', (SMTP_URL, requires_tls) => {
  expect(readConfig({ SMTP_URL }).mail.requires_tls).toBe(requires_tls)
  expect(readConfig({ SMTP_URL, SMTP_TLS: 'optional' }).mail.requires_tls).toBe(false)
  expect(readConfig({ SMTP_URL, SMTP_TLS: 'required' }).mail.requires_tls).toBe(true)
  expect(problemsOf({ SMTP_URL, SMTP_TLS: 'off' })).toEqual(['SMTP_TLS must be one of required, optional'])
})
