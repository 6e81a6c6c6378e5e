/** What the console is told of this installation; no part of the public API. */
export interface ConsoleSettings {
  apps: {
    /** Deployments are at `<subdomain>.<domain>`. */
    domain: string
    /** How a browser gets there; null where that is not known. `port` is empty where the scheme says it. */
    proxy_endpoint: { scheme: 'http' | 'https'; port: string } | null
  }
  /** Are tiers' prices charged? */
  is_billing_on: boolean
  /** False where mails are only written into the outbox folder. */
  is_mail_sent: boolean
}
