import { EngineError, type Workload } from '../engine.ts'
import { secretValues } from '../../secrets.rules.ts'

/**
 * The isolation profile of every workload on every engine: only the capabilities that common images need to change to an
 * unprivileged user, no new privileges, no swap, and limits of processes, files, memory, processor and output.
 */
export const profile = {
  capabilities: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETUID', 'SETGID'],
  processes_max: 256,
  files_max: 4_096,
  output_bytes_max: '5m',
  output_files_max: '2',
  stop_seconds: 10,
}

export const memoryBytes = ({ memory_mb }: Workload) => memory_mb * 1024 * 1024
export const nanoCpus = ({ millicores }: Workload) => millicores * 1_000_000
export const environment = ({ env }: Workload) => Object.entries(env).map(([name, value]) => `${name}=${value}`)
export const logDriver = {
  type: 'json-file',
  options: { 'max-size': profile.output_bytes_max, 'max-file': profile.output_files_max },
}
export const ulimits = [
  { Name: 'nofile', Soft: profile.files_max, Hard: profile.files_max },
  { Name: 'core', Soft: 0, Hard: 0 },
]

/** Where a container's port is published. */
export interface Publishing {
  network: string
  address: string
}

/** The isolation profile as a Docker `HostConfig`: sent at creation, and compared with what inspect returns. */
export function hostConfig(workload: Workload, { network, address }: Publishing) {
  return {
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: profile.capabilities,
    SecurityOpt: ['no-new-privileges:true'],
    PidsLimit: profile.processes_max,
    Memory: memoryBytes(workload),
    MemorySwap: memoryBytes(workload),
    NanoCpus: nanoCpus(workload),
    Ulimits: ulimits,
    LogConfig: { Type: logDriver.type, Config: logDriver.options },
    RestartPolicy: { Name: 'unless-stopped', MaximumRetryCount: 0 },
    NetworkMode: network,
    IpcMode: 'private',
    PortBindings: { [`${workload.port}/tcp`]: [{ HostIp: address, HostPort: '' }] },
    PublishAllPorts: false,
  }
}

/** Fields of `HostConfig` that must not be set: each gives access to the host. */
const must_be_empty = ['Binds', 'Mounts', 'Devices', 'DeviceRequests', 'VolumesFrom', 'Links', 'ExtraHosts', 'Sysctls']
const must_be_unset = ['PidMode', 'UTSMode', 'UsernsMode', 'CgroupParent', 'VolumeDriver']

interface CreatedContainer {
  HostConfig?: Record<string, unknown>
  Mounts?: { Type?: string }[] | null
}

/** The fields of a created container that differ from the isolation profile, by name. */
export function isolationDifferences(
  workload: Workload,
  publishing: Publishing,
  { HostConfig: actual = {}, Mounts }: CreatedContainer,
) {
  return [
    ...differences(hostConfig(workload, publishing), actual),
    ...must_be_empty.filter((field) => !isEmpty(actual[field])),
    ...must_be_unset.filter((field) => (actual[field] ?? '') !== ''),
    // Volumes that the image declares are managed by the engine and removed with the container.
    ...(Mounts ?? []).filter(({ Type }) => Type !== 'volume').map(() => 'mount of the host'),
    ...(isEmpty(actual.MaskedPaths) || isEmpty(actual.ReadonlyPaths) ? ['MaskedPaths'] : []),
  ]
}

export const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** The fields of `actual` that differ from `expected`, after normalising the engine's notation. */
export const differences = (expected: Record<string, unknown>, actual: Record<string, unknown>) =>
  Object.entries(expected)
    .filter(([field, value]) => canonical(field, actual[field]) !== canonical(field, value))
    .map(([field]) => field)

/** One text for values that engines write differently: order of lists, prefix `CAP_`, `=` or `:`, port 0. */
function canonical(field: string, value: unknown): string {
  if (/^Cap|^SecurityOpt$/.test(field))
    return JSON.stringify(
      textsOf(value)
        .map((text) => text.replace(/^CAP_/, '').replace('=', ':'))
        .sort(),
    )
  if (field === 'Ulimits' && Array.isArray(value)) return JSON.stringify(value.map(sorted).sort())
  if (field === 'PortBindings') return sorted(value).replaceAll('"HostPort":"0"', '"HostPort":""')
  return sorted(value)
}

const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

/** JSON with the keys of objects in order. */
function sorted(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
        : part,
    ) ?? ''
  )
}

/** Redacts secrets in an engine's message, including one that the end of a shortened message cuts off. */
export function redactValues(message: string, secrets: readonly string[]) {
  const text = secrets.reduce((redacted, value) => redacted.replaceAll(value, '…'), message)
  const cut = secrets.map((value) => overlapAtEnd(value, text)).sort((a, b) => b - a)[0] ?? 0
  return cut > 0 ? `${text.slice(0, -cut)}…` : text
}

/** The length of the longest prefix of `value` that ends `text`; 0 below three. */
function overlapAtEnd(value: string, text: string) {
  for (let length = Math.min(value.length, text.length); length >= 3; length--)
    if (text.endsWith(value.slice(0, length))) return length
  return 0
}

/** The same error with the workload's environment values and password redacted. */
export function redactSecrets(error: unknown, { env, registry_auth }: Workload) {
  if (!(error instanceof EngineError)) return error
  const secrets = [...secretValues(Object.entries(env)), ...(registry_auth ? [registry_auth.password] : [])]
  return new EngineError(error.fault, redactValues(error.message, secrets))
}
