/** The settings of this installation for the console; not part of the public API. */
export interface ConsoleSettings {
  apps: {
    /** The hostname of a deployment is `<subdomain>.<domain>`. */
    domain: string
    /** Scheme and port for browsers; null if unknown. `port` is empty if it is the scheme's default. */
    proxy_endpoint: { scheme: 'http' | 'https'; port: string } | null
  }
  /** True if tier prices are charged (`BILLING=on`). */
  is_billing_on: boolean
  /** False if mails are only written to the outbox folder. */
  is_mail_sent: boolean
  /** False if browsers do not support passkeys for the address of this installation (D-108). */
  has_passkeys: boolean
  /** True if rewards wait until the person has verified the address (D-116). */
  do_rewards_wait: boolean
  /** True in a sandbox (D-102). Its pages and endpoints do not exist elsewhere. */
  is_sandbox: boolean
  /**
   * `advised` shows a banner to admins without a second factor; `required` refuses their admin calls
   * (`ADMIN_SECOND_FACTOR`).
   */
  admin_second_factor: 'advised' | 'required'
}
