import type { ConsoleSettings } from '../../contract/console-settings.ts'

export interface Surroundings {
  public_url: string
  apps_domain: string
  /** Is there a proxy in front of us whose addresses we cannot know? */
  is_behind_proxy: boolean
  /** Where the router listens, in this process or in another one; undefined where there is none. */
  router: { host: string; port: number } | undefined
}

const loopback = new Set(['localhost', '127.0.0.1', '::1'])

/**
 * How browsers reach deployments. Only an edge can speak TLS: the one that serves the platform serves apps beside it
 * (docs/hosting). Without one they come to the router itself.
 */
export function doorOf({ public_url, apps_domain, is_behind_proxy, router }: Surroundings) {
  const { protocol, port } = new URL(public_url)
  if (protocol === 'https:') return { scheme: 'https', port } as const
  if (is_behind_proxy || router === undefined || router.port === 0) return null
  const is_here_only = loopback.has(router.host) && !apps_domain.endsWith('.localhost')
  return is_here_only ? null : ({ scheme: 'http', port: router.port === 80 ? '' : String(router.port) } as const)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** The settings as the value of an attribute in double quotes. */
export const inAttribute = (settings: ConsoleSettings) =>
  JSON.stringify(settings).replaceAll(/[&<>"]/g, (mark) => escapes[mark] ?? '')
