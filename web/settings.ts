import type { ConsoleSettings } from '../contract/console-settings.ts'

/** What a page knows that no service of ours has sent: the bundler's own. */
const unknown: ConsoleSettings = {
  apps: { domain: 'apps.localhost', proxy_endpoint: null },
  is_billing_on: false,
  is_mail_sent: true,
}

function read(): ConsoleSettings {
  const content = document.querySelector<HTMLMetaElement>('meta[name="plaza-settings"]')?.content ?? ''
  return content.startsWith('{') ? (JSON.parse(content) as ConsoleSettings) : unknown
}

/** What the service says of this installation in every page that it sends. */
export const settings = read()
