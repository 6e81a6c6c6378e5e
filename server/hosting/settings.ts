import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { decisions } from '../../contract/decisions.ts'
import { engines } from '../../contract/kinds/engines.ts'
import type { EnvReader } from '../platform/env-reader.ts'
import { isRegistryHost } from './api/image.rules.ts'
import { default_timing } from './control/timing.rules.ts'
import { parseEngineSpec, type EngineSpec } from './engine/open.ts'

export type HostingSettings = ReturnType<typeof readHostingSettings>

export const readHostingSettings = (read: EnvReader) => ({
  registries: readRegistries(read),
  billing: read.oneOf('BILLING', ['off', 'on'], 'off') === 'on',
  apps_domain: readAppsDomain(read),
  router: readRouter(read),
  containers: readContainers(read),
})

/** The registries of images (D-59). `off` disables one; the private registry has no default (D-113). */
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
    /** With an explicit port the router runs even if no container host is configured: workers may run on other machines. */
    port_given: read.text('ROUTER_PORT') !== undefined,
    hold_seconds: read.integer('ROUTER_HOLD', 5, { min: 0, max: 60 }),
    connect_seconds: read.integer('ROUTER_CONNECT_TIMEOUT', 5, { min: 1, max: 60 }),
    answer_seconds: read.integer('ROUTER_ANSWER_TIMEOUT', 300, { min: 1, max: 86_400 }),
    connections_max: read.integer('ROUTER_CONNECTIONS_MAX', 1_000, { min: 1, max: 1_000_000 }),
  }
}

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
      max: 86_400,
    }),
  }
}

const local_docker = '/var/run/docker.sock'

/**
 * `CONTAINER_HOSTS=a=docker+unix:///path/docker.sock?address=10.0.0.1, b=podman+unix:///path, c=swarm+unix:///path`.
 * The default is the machine's own Docker, if it has one.
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
 * The setting for isolation probes of container hosts (D-113). Undefined: hosts are probed, and a host that cannot be
 * probed is still used. `checked`: such a host is not used.
 */
function readIsolation(read: EnvReader): 'checked' | 'trusted' | undefined {
  return read.text('ISOLATION') === undefined ? undefined : read.oneOf('ISOLATION', ['checked', 'trusted'], 'checked')
}

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
