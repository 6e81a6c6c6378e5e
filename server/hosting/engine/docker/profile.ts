import { EngineError, type Workload } from '../engine.ts'

/**
 * How every workload is shut in, whatever the engine: no capability but those that common images need to drop
 * themselves to a user of their own, no way to gain more, no swap, bounded processes, files, memory, processor and output.
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

/** The fields of a Docker host configuration that shut a workload in, as sent and as expected back. */
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

/** What a host configuration may not hold at all: each of these opens a way to the host. */
const must_be_empty = ['Binds', 'Mounts', 'Devices', 'DeviceRequests', 'VolumesFrom', 'Links', 'ExtraHosts', 'Sysctls']
const must_be_unset = ['PidMode', 'UTSMode', 'UsernsMode', 'CgroupParent', 'VolumeDriver']

interface CreatedContainer {
  HostConfig?: Record<string, unknown>
  Mounts?: { Type?: string }[] | null
}

/** Compares a created container with what was asked for: each field that did not stick, by name. */
export function isolationDifferences(
  workload: Workload,
  publishing: Publishing,
  { HostConfig: got = {}, Mounts }: CreatedContainer,
) {
  return [
    ...differences(hostConfig(workload, publishing), got),
    ...must_be_empty.filter((field) => !isEmpty(got[field])),
    ...must_be_unset.filter((field) => (got[field] ?? '') !== ''),
    // Volumes that the image itself declares are the engine's own, and go with the container.
    ...(Mounts ?? []).filter(({ Type }) => Type !== 'volume').map(() => 'mount of the host'),
    ...(isEmpty(got.MaskedPaths) || isEmpty(got.ReadonlyPaths) ? ['MaskedPaths'] : []),
  ]
}

export const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** The fields of `got` that are not what was asked for, however the engine writes them. */
export const differences = (asked: Record<string, unknown>, got: Record<string, unknown>) =>
  Object.entries(asked)
    .filter(([field, value]) => canonical(field, got[field]) !== canonical(field, value))
    .map(([field]) => field)

/** One text for what engines write in several ways: order of lists, `CAP_` before a capability, `=` or `:`, port 0. */
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

/**
 * Takes environment values out of an engine's words, and the beginning of one at which long words were cut off. Short ones
 * stay: they would take half of the words with them.
 */
export function redactValues(message: string, values: readonly string[]) {
  const secrets = values.filter((value) => value.length >= 3)
  const text = secrets.reduce((words, value) => words.replaceAll(value, '…'), message)
  const cut = secrets.map((value) => overlapAtEnd(value, text)).sort((a, b) => b - a)[0] ?? 0
  return cut > 0 ? `${text.slice(0, -cut)}…` : text
}

/** How many of the text's last characters are the first ones of the value; 0 for fewer than three. */
function overlapAtEnd(value: string, text: string) {
  for (let length = Math.min(value.length, text.length); length >= 3; length--)
    if (text.endsWith(value.slice(0, length))) return length
  return 0
}

/** The same error without what the workload's environment and credentials hold. */
export function redactSecrets(error: unknown, { env, registry_auth }: Workload) {
  if (!(error instanceof EngineError)) return error
  const secrets = [...Object.values(env), ...(registry_auth ? [registry_auth.password] : [])]
  return new EngineError(error.fault, redactValues(error.message, secrets))
}
