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
import { failed, ok, todo, type Check, type Found } from './finding.ts'

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

function settings({ ignored, public_url, trusted_proxies }: Config): Found[] {
  const { protocol, hostname } = new URL(public_url)
  const found: Found[] = ignored.map((problem) => todo(problem, 'Remove it, or correct its name.'))
  if (protocol === 'http:' && !isLoopback(hostname))
    found.push(todo('PUBLIC_URL is not https', 'Put a proxy with TLS in front, and set PUBLIC_URL to its address.'))
  if (protocol === 'https:' && trusted_proxies.length === 0)
    found.push(
      todo('TRUSTED_PROXIES is not set', 'Set it to the proxy, or all people count as one address in rate limits.'),
    )
  return found.length > 0 ? found : [ok('all known')]
}

async function publicAddress({ public_url }: Config, signal: AbortSignal): Promise<Found[]> {
  const before = Date.now()
  const reply = await fetch(`${public_url}/health`, { signal, redirect: 'manual' })
  const body = (await reply.json().catch(() => ({}))) as { status?: string; version?: string }
  if (!reply.ok || body.version === undefined)
    return [
      failed(
        `${public_url} answers ${reply.status}, not as Plaza does`,
        'Set PUBLIC_URL to an address of the service.',
      ),
    ]
  const found = [ok(`${public_url} is version ${body.version}`)]
  const date = Date.parse(reply.headers.get('date') ?? '')
  const seconds = Math.max(0, before - 1_000 - date, date - Date.now()) / 1_000
  if (seconds > 5)
    found.push(
      todo(`${seconds.toFixed(0)} s from the proxy's`, 'Synchronise the clocks of both machines with NTP.', 'clock'),
    )
  if (public_url.startsWith('https:')) found.push(await certificate(new URL(public_url)))
  return found
}

const certificate = ({ hostname, port }: URL) =>
  new Promise<Found>((done, fail) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: 5_000 }, () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000)
      socket.end()
      const text = `valid for ${days} days`
      done(
        days < 14
          ? todo(text, 'Renew it, and check why it was not renewed automatically.', 'certificate')
          : ok(text, 'certificate'),
      )
    })
    socket.on('error', fail).on('timeout', () => socket.destroy(new Error('the TLS handshake timed out')))
  })

async function mail({ config, mail_to }: ServiceParts): Promise<Found> {
  const { smtp_url, ...options } = config.mail
  if (smtp_url === undefined && config.is_sandbox) return ok('shown in the console: this is a sandbox')
  if (smtp_url === undefined) return todo('written into files', 'Set SMTP_URL and MAIL_FROM: no mail is delivered.')
  const mailer = smtpMailer({ smtp_url, ...options })
  try {
    if (mail_to !== undefined) {
      await mailer.inJob(newId()).send({
        to: mail_to,
        subject: 'Plaza doctor',
        text: 'This mail was sent by npm run admin -- doctor --mail-to.\n',
      })
      return ok(`a mail to ${mail_to} was taken`)
    }
    const { status, reason = 'no reason given' } = await mailer.check()
    return status === 'ok'
      ? ok('the mail server takes the sign-in')
      : failed(reason, 'Check SMTP_URL and the mail server.')
  } finally {
    mailer.close()
  }
}

/** An answer that refuses the name still is an answer. */
const dns_answers = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ESERVFAIL'])

async function nameServers({ dns_servers, public_url }: Config): Promise<Found[]> {
  const servers = dns_servers.length > 0 ? dns_servers : new Resolver().getServers()
  const { hostname } = new URL(public_url)
  return Promise.all(
    servers.map(async (server): Promise<Found> => {
      const resolver = new Resolver({ timeout: 2_000, tries: 2 })
      resolver.setServers([server])
      const code = await resolver.resolve4(isLoopback(hostname) ? 'example.com' : hostname).then(
        () => 'answered',
        (error: NodeJS.ErrnoException) => error.code ?? 'unknown',
      )
      return code === 'answered' || dns_answers.has(code)
        ? ok(`${server} answers`, 'name server')
        : failed(
            `${server} does not answer (${code})`,
            'Check DNS_SERVERS: they are used for proofs of custom domains.',
            'name server',
          )
    }),
  )
}

const any_installation = '00000000-0000-7000-8000-000000000000'

function engineChecks(spec: EngineSpec, config: Config): Check[] {
  return [
    {
      name: `engine ${spec.name}`,
      seconds: 15,
      advice: 'Start the engine, and let this user use its socket.',
      async run(signal) {
        const { version, advice, limits } = await withEngine(spec, config, (engine) => engine.info(signal))
        if (advice.length > 0) return advice.map((text) => todo(version, text))
        return ok([version, ...limits].join('. '))
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
async function isolation(spec: EngineSpec, config: Config, signal: AbortSignal): Promise<Found[]> {
  const name = `isolation of ${spec.name}`
  if (config.containers.isolation === 'trusted') return [ok('not tried: apps are trusted (ISOLATION)')]
  const { targets, allowed } = await findTargets(config)
  const machines = await withEngine(spec, config, (engine) => engine.probe(targets, signal))
  return machines.map((machine) => {
    const { node, state, found, reason } = isolationOf(spec.name, machine, allowed)
    const place = node === '' ? name : `${name}/${node}`
    if (state === 'reachable') return failed(`containers reach ${describeFindings(found)}`, isolation_advice, place)
    if (state === 'unchecked') return todo(`it could not be tried: ${reason}`, 'Fix it (docs/hosting).', place)
    return ok('containers reach nothing that they should not', place)
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
  return {
    name: `registry ${host}`,
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
        ? ok('answers')
        : failed(`answers ${reply.status}, not as a registry does`, `Look at REGISTRY_${kind.toUpperCase()}.`)
    },
  }
}

const gigabyte = 2 ** 30

async function disks({ config, backup_dir }: ServiceParts): Promise<Found[]> {
  const folders = [
    { setting: 'DATA_DIR', path: resolve(config.data_dir) },
    ...(backup_dir === undefined ? [] : [{ setting: 'BACKUP_DIR', path: resolve(backup_dir) }]),
  ]
  return Promise.all(
    folders.map(async ({ setting, path }): Promise<Found> => {
      const name = `disk of ${setting}`
      const space = await statfs(path).catch((error: NodeJS.ErrnoException) => error.code)
      if (typeof space !== 'object')
        return failed(`${path} cannot be read (${space})`, `Make it, or set ${setting}.`, name)
      const [free, all] = [space.bavail * space.bsize, space.blocks * space.bsize]
      const text = `${(free / gigabyte).toFixed(1)} GB free of ${(all / gigabyte).toFixed(1)}`
      const advice = 'Free space: nothing can be written while the disk is full.'
      if (free < 0.02 * all || free < 0.2 * gigabyte) return failed(text, advice, name)
      return free < 0.1 * all || free < gigabyte ? todo(text, advice, name) : ok(text, name)
    }),
  )
}

/** Only the service's user may access files with secrets. */
async function secretFiles({ data_dir }: Config): Promise<Found> {
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
    ? failed(`others may read ${joinWithAnd(open)}`, `Run chmod go-rwx ${open.join(' ')}.`)
    : ok('for their user only')
}
