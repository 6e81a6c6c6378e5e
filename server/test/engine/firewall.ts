import { join } from 'node:path'
import { package_root } from '../../platform/package.ts'
import type { TestHost } from './engines.ts'

/** Runs docs/hosting/firewall.sh on a host, as its operator does. */
export const runFirewall = (host: TestHost, ...settings: string[]) =>
  host.run('env', 'NETWORK_RANGE=10.240.0.0/12', ...settings, 'sh', join(package_root, 'docs/hosting/firewall.sh'))

/** Removes the rules of the firewall, as a restart of the firewall service does. */
export async function flushFirewall(host: TestHost) {
  for (const chain of ['PLAZA-OUT', 'PLAZA-HOST']) await host.run('iptables', '-F', chain)
  // On hosts with Podman, the script also writes rules here.
  await host.run('iptables', '-t', 'mangle', '-F', 'PLAZA-OUT').catch(() => '')
}
