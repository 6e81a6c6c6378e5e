import { EngineError, type Phase } from '../engine.ts'
import type { Dialect } from '../docker/dialect.ts'
import type { Container } from '../docker/containers.ts'
import { EngineHttpError, hasStatus, type EngineClient } from '../docker/http-client.ts'
import { resolveByPull } from './images.ts'
import { libpod } from './libpod.ts'
import { podmanNetworks } from './networks.ts'
import { podmanDifferences, podmanHostConfig } from './profile.ts'

/**
 * Podman 4.3 or later. Uses the Docker API of its service, and its own API (libpod) for networks that are isolated from
 * each other and for reading a container's isolation. Written for and tested with Debian's 4.3.1.
 */
export const podman: Dialect = {
  kind: 'podman',
  limits: [
    'It does not tell when a program ran out of memory: its owner reads of exit code 137.',
    'It restarts a program that ends at once and without a pause, until Plaza gives it up as crashing.',
    'It keeps the last 5 MB of the output of a container or less, and the times of lines in whole seconds.',
    'The memory of a container is measured with its cache of files.',
    'It does not tell which paths of /proc and /sys it hides from a container, so that this cannot be read back.',
    'To know the digest of a tag it pulls the image.',
  ],
  network_kind: podmanNetworks,
  resolves_without_pull: false,
  requireSupported: requireIsolatingPodman,
  // Containers keep running without its service, and a restarted service finds them.
  adviceOf: () => [],
  resolveImage: resolveByPull,
  labelsOf: (image) => ({ [image_label]: image }),
  imageOf: ({ Config }) => Config?.Labels?.[image_label],
  isNameTaken: (error) =>
    hasStatus(error, 409, 500) && /that name is already in use|name .* is in use/i.test(error.message),
  hostConfig: podmanHostConfig,
  isolationDifferences: podmanDifferences,
  phaseOf,
  // Podman runs health checks only where systemd starts them.
  healthOf: () => undefined,
  openOomWatch: () => ({ keepOpen() {}, hadOom: async () => false, retain() {} }),
  startError,
}

/** For a tagged image, Podman reports the tag instead of the digest from which a container was created. */
const image_label = 'plaza.image'

const notPodman = new EngineError(
  'isolation',
  'It is not Podman: write docker+unix:// in place of podman+unix:// in CONTAINER_HOSTS.',
)

interface PodmanInfo {
  host?: { networkBackend?: string; security?: { rootless?: boolean } }
  version?: { Version?: string }
}

async function requireIsolatingPodman(client: EngineClient, signal: AbortSignal) {
  const info = await libpod<PodmanInfo>(client, 'GET', '/info', { signal }).catch((error: unknown) => {
    throw hasStatus(error, 400, 404) ? notPodman : error
  })
  const { host, version: { Version = '' } = {} } = info
  const [major = 0, minor = 0] = Version.split('.').map(Number)
  if (major < 4 || (major === 4 && minor < 3))
    throw new EngineError('too_old', `It is Podman ${Version}; 4.3 is the oldest that is served.`)
  if (host?.networkBackend !== 'netavark')
    throw new EngineError(
      'isolation',
      `The networks of its backend ${host?.networkBackend ?? ''} are open to each other: set network_backend = "netavark" in ` +
        'containers.conf, and reset its storage if it had another one.',
    )
  if (host.security?.rootless)
    throw new EngineError(
      'isolation',
      'It is rootless Podman, which is not supported: no firewall of the host can tell what its containers send. Run the service of Podman as root.',
    )
}

/** For this time after its end, a program counts as about to be restarted. Later, Podman has failed and does not retry. */
const restart_ms_max = 30_000

/** Podman has no state for a program that it is about to restart: `stopped` is a program that ended, `exited` one that stays ended. */
function phaseOf({ Status, FinishedAt }: NonNullable<Container['State']>): Phase {
  switch (Status) {
    case 'running':
    case 'stopping':
      return 'running'
    case 'stopped':
      return Date.now() - Date.parse(FinishedAt ?? '') < restart_ms_max ? 'restarting' : 'exited'
    case 'exited':
    case 'removing':
      return 'exited'
    default:
      return 'waiting'
  }
}

/** Podman returns 500 for every failed start; only the message shows a fault of the image. */
function startError(error: EngineError) {
  if (hasStatus(error, 500) && error.message.includes('must be in Created or Stopped state to be started'))
    return undefined
  const is_refused =
    error instanceof EngineHttpError &&
    /executable file|no such file or directory|not found in \$PATH/i.test(error.message)
  return is_refused ? new EngineError('refused', error.message) : error
}
