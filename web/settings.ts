import type { ConsoleSettings } from '../contract/console-settings.ts'

/** The settings of a page from the development server. */
const fallback: ConsoleSettings = {
  apps: { domain: 'apps.localhost', proxy_endpoint: null },
  is_billing_on: false,
  is_mail_sent: true,
  has_passkeys: true,
  is_sandbox: false,
  do_rewards_wait: true,
  admin_second_factor: 'advised',
}

function read(): ConsoleSettings {
  const content = document.querySelector<HTMLMetaElement>('meta[name="plaza-settings"]')?.content ?? ''
  return content.startsWith('{') ? (JSON.parse(content) as ConsoleSettings) : fallback
}

/** The settings of this installation, from the document's `plaza-settings` meta element. */
export const settings = read()

/** Whether this installation has a page: some exist only in a sandbox (D-102). */
export const hasPage = ({ sandbox }: { sandbox?: true }) => !sandbox || settings.is_sandbox
