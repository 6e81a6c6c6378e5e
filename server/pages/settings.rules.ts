import type { ConsoleSettings } from '../../contract/console-settings.ts'

export interface ProxyEndpointOptions {
  public_url: string
  apps_domain: string
  /** True if a reverse proxy is in front of the service, whose public addresses are unknown. */
  is_behind_proxy: boolean
  /** The address on which the router listens, in this process or another; undefined if there is none. */
  router: { host: string; port: number } | undefined
}

const loopback = new Set(['localhost', '127.0.0.1', '::1'])

/**
 * Scheme and port at which browsers reach deployments; null if unknown. With an HTTPS `public_url` the same edge proxy
 * serves the apps (docs/hosting); otherwise browsers connect to the router.
 */
export function proxyEndpoint({ public_url, apps_domain, is_behind_proxy, router }: ProxyEndpointOptions) {
  const { protocol, port } = new URL(public_url)
  if (protocol === 'https:') return { scheme: 'https', port } as const
  if (is_behind_proxy || router === undefined || router.port === 0) return null
  const is_here_only = loopback.has(router.host) && !apps_domain.endsWith('.localhost')
  return is_here_only ? null : ({ scheme: 'http', port: router.port === 80 ? '' : String(router.port) } as const)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** The settings as JSON, escaped for an attribute in double quotes. */
export const escapeAttribute = (settings: ConsoleSettings) =>
  JSON.stringify(settings).replaceAll(/[&<>"]/g, (mark) => escapes[mark] ?? '')
