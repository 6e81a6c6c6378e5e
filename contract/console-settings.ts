/** The settings of this installation for the console; not part of the public API. */
export interface ConsoleSettings {
  apps: {
    /** The hostname of a deployment is `<subdomain>.<domain>`. */
    domain: string
    /** Scheme and port for browsers; null if unknown. `port` is empty if it is the scheme's default. */
    proxy_endpoint: { scheme: 'http' | 'https'; port: string } | null
  }
  /** True if tiers' prices are charged (`BILLING=on`). */
  is_billing_on: boolean
  /** False if mails are only written into the outbox folder. */
  is_mail_sent: boolean
  /** False where browsers have no passkeys for the address of this installation (D-108). */
  has_passkeys: boolean
  /** True if rewards wait until the address of the person is verified (D-116). */
  do_rewards_wait: boolean
  /** True in a sandbox (D-102), whose pages and endpoints exist nowhere else. */
  is_sandbox: boolean
  /** `advised` shows a banner to admins without a second factor; `required` refuses their calls as admins (`ADMIN_SECOND_FACTOR`). */
  admin_second_factor: 'advised' | 'required'
}
