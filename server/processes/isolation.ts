import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import type { IsolationSettings } from '../hosting/control/hosts/isolation.ts'
import type { ProbeTarget } from '../hosting/engine/engine.ts'
import { isLoopback } from '../hosting/engine/probe/targets.ts'
import { parseDatabaseUrl } from '../platform/postgres/url.ts'
import { isPublicAddress } from '../platform/public-address.ts'

/** The addresses that are probed and refused on container hosts (ISOLATION). */
export function isolationSettings(config: Config): IsolationSettings | 'trusted' {
  const { isolation } = config.containers
  if (isolation === 'trusted') return 'trusted'
  return { refuse_unchecked: isolation === 'checked', findTargets: () => findTargets(config) }
}

/**
 * The targets of this installation that apps must not reach: its databases, the ports of metrics and probes, and its private registry
 * unless it has a public address, as build servers need. Apps may reach the platform's own address, including the port where an edge
 * redirects visitors to https.
 */
export async function findTargets(config: Config) {
  const { private: registry } = config.registries
  const { hostname, port, protocol } = new URL(config.public_url)
  const allowed = await addressesOf(hostname)
  const allowed_ports = port !== '' ? [port] : protocol === 'https:' ? [443, 80] : [80]
  const targets = [
    ...(await registryTargets(registry)),
    ...(await databaseTargets([config.database_url, config.replica_url])),
    ...[config.metrics.port, config.probes_port].flatMap((own): ProbeTarget[] =>
      own === undefined || own === 0 ? [] : [{ what: 'host', address: 'gateway', port: own }],
    ),
  ]
  return { targets, allowed: new Set(allowed.flatMap((address) => allowed_ports.map((own) => `${address}:${own}`))) }
}

async function registryTargets(registry: string | undefined): Promise<ProbeTarget[]> {
  if (registry === undefined) return []
  const [host = '', port = '443'] = registry.split(':')
  const addresses = (await addressesOf(host)).filter((address) => !isPublicAddress(address))
  return addresses.map((address) => ({ what: 'registry', address: fromContainer(address), port: Number(port) }))
}

async function databaseTargets(urls: readonly (string | undefined)[]): Promise<ProbeTarget[]> {
  const servers = urls.flatMap((url) => (url === undefined ? [] : parseDatabaseUrl(url).servers))
  const found = await Promise.all(
    servers
      .filter(({ host }) => !host.startsWith('/'))
      .map(async ({ host, port }) =>
        (await addressesOf(host)).map((address): ProbeTarget => ({
          what: 'database',
          address: fromContainer(address),
          port,
        })),
      ),
  )
  return found.flat()
}

/** This machine is the container's gateway if the container runs here. */
const fromContainer = (address: string) => (isLoopback(address) ? 'gateway' : address)

/** The addresses of a name; none if the lookup fails, which the next probe repeats. */
async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) === 4) return [host]
  return lookup(host, { all: true, family: 4 }).then(
    (all) => all.map(({ address }) => address),
    () => [],
  )
}
