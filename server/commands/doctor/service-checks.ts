import { Resolver } from 'node:dns/promises'
import { stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { connect } from 'node:tls'
import { decisions } from '../../../contract/decisions.ts'
import type { Config } from '../../config.ts'
import { describeFindings, isolationOf } from '../../hosting/control/hosts/isolation.rules.ts'
import type { ContainerEngine } from '../../hosting/engine/engine.ts'
import { openEngine, type EngineSpec } from '../../hosting/engine/open.ts'
import { newId } from '../../platform/ids.ts'
import { smtpMailer } from '../../platform/mail.ts'
import { joinWithAnd } from '../../platform/text.ts'
import { findTargets } from '../../processes/isolation.ts'
import { failed, ok, todo, type Check, type Finding } from './finding.ts'

export interface ServiceParts {
  config: Config
  backup_dir: string | undefined
  /** The recipient of a real mail; undefined if none is sent. */
  mail_to: string | undefined
}

/** Every check of the dependencies other than the database. */
export const serviceChecks = (parts: ServiceParts): Check[] => [
  { name: 'settings', seconds: 5, advice: 'Mend it.', run: async () => settings(parts.config) },
  {
    name: 'public address',
    seconds: 10,
    advice: 'Start the service, and let its proxy forward requests to PUBLIC_URL.',
    run: (signal) => publicAddress(parts.config, signal),
  },
  { name: 'mail', seconds: 30, advice: 'Check SMTP_URL and the mail server.', run: () => mail(parts) },
  { name: 'name servers', seconds: 15, advice: 'Look at DNS_SERVERS.', run: () => nameServers(parts.config) },
  ...parts.config.containers.hosts.flatMap((spec) => engineChecks(spec, parts.config)),
  ...registryChecks(parts.config),
  { name: 'disk', seconds: 5, advice: 'Look at DATA_DIR and BACKUP_DIR.', run: () => disks(parts) },
  { name: 'secret files', seconds: 5, advice: 'Look at DATA_DIR.', run: () => secretFiles(parts.config) },
]

const isLoopback = (hostname: string) =>
  /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(hostname) || hostname.endsWith('.localhost')

function settings({ ignored, public_url, trusted_proxies }: Config): Finding[] {
  const { protocol, hostname } = new URL(public_url)
  const name = 'settings'
  const found: Finding[] = ignored.map((problem) => todo(name, problem, 'Remove it, or correct its name.'))
  if (protocol === 'http:' && !isLoopback(hostname))
    found.push(
      todo(name, 'PUBLIC_URL is not https', 'Put a proxy with TLS in front, and set PUBLIC_URL to its address.'),
    )
  if (protocol === 'https:' && trusted_proxies.length === 0)
    found.push(
      todo(
        name,
        'TRUSTED_PROXIES is not set',
        'Set it to the proxy, or all people count as one address in rate limits.',
      ),
    )
  return found.length > 0 ? found : [ok(name, 'all known')]
}

async function publicAddress({ public_url }: Config, signal: AbortSignal): Promise<Finding[]> {
  const name = 'public address'
  const before = Date.now()
  const reply = await fetch(`${public_url}/health`, { signal, redirect: 'manual' })
  const body = (await reply.json().catch(() => ({}))) as { status?: string; version?: string }
  if (!reply.ok || body.version === undefined)
    return [
      failed(
        name,
        `${public_url} answers ${reply.status}, not as Plaza does`,
        'Set PUBLIC_URL to an address of the service.',
      ),
    ]
  const found = [ok(name, `${public_url} is version ${body.version}`)]
  const date = Date.parse(reply.headers.get('date') ?? '')
  const seconds = Math.max(0, before - 1_000 - date, date - Date.now()) / 1_000
  if (seconds > 5)
    found.push(
      todo('clock', `${seconds.toFixed(0)} s from the proxy's`, 'Synchronise the clocks of both machines with NTP.'),
    )
  if (public_url.startsWith('https:')) found.push(await certificate(new URL(public_url)))
  return found
}

const certificate = ({ hostname, port }: URL) =>
  new Promise<Finding>((done, fail) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: 5_000 }, () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000)
      socket.end()
      const text = `valid for ${days} days`
      done(
        days < 14
          ? todo('certificate', text, 'Renew it, and check why it was not renewed automatically.')
          : ok('certificate', text),
      )
    })
    socket.on('error', fail).on('timeout', () => socket.destroy(new Error('the TLS handshake timed out')))
  })

async function mail({ config, mail_to }: ServiceParts): Promise<Finding> {
  const { smtp_url, ...options } = config.mail
  if (smtp_url === undefined && config.is_sandbox) return ok('mail', 'shown in the console: this is a sandbox')
  if (smtp_url === undefined)
    return todo('mail', 'written into files', 'Set SMTP_URL and MAIL_FROM: no mail is delivered.')
  const mailer = smtpMailer({ smtp_url, ...options })
  try {
    if (mail_to !== undefined) {
      await mailer.inJob(newId()).send({
        to: mail_to,
        subject: 'Plaza doctor',
        text: 'This mail was sent by npm run admin -- doctor --mail-to.\n',
      })
      return ok('mail', `a mail to ${mail_to} was taken`)
    }
    const { status, reason = 'no reason given' } = await mailer.check()
    return status === 'ok'
      ? ok('mail', 'the mail server takes the sign-in')
      : failed('mail', reason, 'Check SMTP_URL and the mail server.')
  } finally {
    mailer.close()
  }
}

/** An answer that refuses the name still is an answer. */
const dns_answers = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ESERVFAIL'])

async function nameServers({ dns_servers, public_url }: Config): Promise<Finding[]> {
  const servers = dns_servers.length > 0 ? dns_servers : new Resolver().getServers()
  const { hostname } = new URL(public_url)
  return Promise.all(
    servers.map(async (server): Promise<Finding> => {
      const resolver = new Resolver({ timeout: 2_000, tries: 2 })
      resolver.setServers([server])
      const code = await resolver.resolve4(isLoopback(hostname) ? 'example.com' : hostname).then(
        () => 'answered',
        (error: NodeJS.ErrnoException) => error.code ?? 'unknown',
      )
      return code === 'answered' || dns_answers.has(code)
        ? ok('name server', `${server} answers`)
        : failed(
            'name server',
            `${server} does not answer (${code})`,
            'Check DNS_SERVERS: they are used for proofs of custom domains.',
          )
    }),
  )
}

const any_installation = '00000000-0000-7000-8000-000000000000'

function engineChecks(spec: EngineSpec, config: Config): Check[] {
  const name = `engine ${spec.name}`
  return [
    {
      name,
      seconds: 15,
      advice: 'Start the engine, and let this user use its socket.',
      async run(signal) {
        const { version, advice, limits } = await withEngine(spec, config, (engine) => engine.info(signal))
        if (advice.length > 0) return advice.map((text) => todo(name, version, text))
        return ok(name, [version, ...limits].join('. '))
      },
    },
    {
      name: `isolation of ${spec.name}`,
      seconds: 90,
      advice: 'Start the engine, and let this user use its socket.',
      run: (signal) => isolation(spec, config, signal),
    },
  ]
}

const isolation_advice =
  'Run docs/hosting/firewall.sh as root on the container host, at every start before its engine (docs/hosting).'

/** Tests from its own containers if they reach addresses that no app may reach, as workers do. */
async function isolation(spec: EngineSpec, config: Config, signal: AbortSignal): Promise<Finding[]> {
  const name = `isolation of ${spec.name}`
  if (config.containers.isolation === 'trusted') return [ok(name, 'not tried: apps are trusted (ISOLATION)')]
  const { targets, allowed } = await findTargets(config)
  const machines = await withEngine(spec, config, (engine) => engine.probe(targets, signal))
  return machines.map((machine) => {
    const { node, state, found, reason } = isolationOf(spec.name, machine, allowed)
    const place = node === '' ? name : `${name}/${node}`
    if (state === 'reachable') return failed(place, `containers reach ${describeFindings(found)}`, isolation_advice)
    if (state === 'unchecked') return todo(place, `it could not be tried: ${reason}`, 'Fix it (docs/hosting).')
    return ok(place, 'containers reach nothing that they should not')
  })
}

async function withEngine<Result>(
  spec: EngineSpec,
  config: Config,
  work: (engine: ContainerEngine) => Promise<Result>,
) {
  const { network_range } = config.containers
  const { engine, close } = openEngine(spec, { installation_id: any_installation, network_range })
  try {
    return await work(engine)
  } finally {
    await close()
  }
}

/** Default registries are only checked if there are container hosts. */
const registryChecks = ({ registries, containers }: Config): Check[] =>
  Object.entries(registries).flatMap(([kind, host]) =>
    host === undefined || (is_default.has(host) && containers.hosts.length === 0) ? [] : [registryCheck(kind, host)],
  )

const { public_host, code_host } = decisions.default_registries
const is_default = new Set<string>([public_host, code_host])
/** Docker's public registry is not served at the host in image names. */
const served_at = new Map<string, string>([[public_host, `registry-1.${public_host}`]])

/** A registry answers `/v2/` with 200, or with 401 if it requires credentials. */
function registryCheck(kind: string, host: string): Check {
  const name = `registry ${host}`
  return {
    name,
    seconds: 10,
    advice: `Look at REGISTRY_${kind.toUpperCase()} and at the registry.`,
    async run(signal) {
      const [hostname = ''] = host.split(':')
      const ask = (protocol: string) =>
        fetch(`${protocol}://${served_at.get(host) ?? host}/v2/`, { signal, redirect: 'manual' })
      const reply = await ask('https').catch((error: unknown) => {
        if (isLoopback(hostname)) return ask('http')
        throw error
      })
      return reply.status === 200 || reply.status === 401
        ? ok(name, 'answers')
        : failed(name, `answers ${reply.status}, not as a registry does`, `Look at REGISTRY_${kind.toUpperCase()}.`)
    },
  }
}

const gigabyte = 2 ** 30

async function disks({ config, backup_dir }: ServiceParts): Promise<Finding[]> {
  const folders = [
    { setting: 'DATA_DIR', path: resolve(config.data_dir) },
    ...(backup_dir === undefined ? [] : [{ setting: 'BACKUP_DIR', path: resolve(backup_dir) }]),
  ]
  return Promise.all(
    folders.map(async ({ setting, path }): Promise<Finding> => {
      const name = `disk of ${setting}`
      const space = await statfs(path).catch((error: NodeJS.ErrnoException) => error.code)
      if (typeof space !== 'object')
        return failed(name, `${path} cannot be read (${space})`, `Make it, or set ${setting}.`)
      const [free, all] = [space.bavail * space.bsize, space.blocks * space.bsize]
      const text = `${(free / gigabyte).toFixed(1)} GB free of ${(all / gigabyte).toFixed(1)}`
      const advice = 'Free space: nothing can be written while the disk is full.'
      if (free < 0.02 * all || free < 0.2 * gigabyte) return failed(name, text, advice)
      return free < 0.1 * all || free < gigabyte ? todo(name, text, advice) : ok(name, text)
    }),
  )
}

/** Only the service's user may access files with secrets. */
async function secretFiles({ data_dir }: Config): Promise<Finding> {
  const paths = ['secret.key', 'outbox', 'backups'].map((name) => join(resolve(data_dir), name))
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mode }) => ({ path, mode }),
        () => undefined,
      ),
    ),
  )
  const open = found.flatMap((file) => (file && (file.mode & 0o077) !== 0 ? [file.path] : []))
  return open.length > 0
    ? failed('secret files', `others may read ${joinWithAnd(open)}`, `Run chmod go-rwx ${open.join(' ')}.`)
    : ok('secret files', 'for their user only')
}
