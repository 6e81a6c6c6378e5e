import { hasPasskeys } from '../accounts/passkey-answers.service.ts'
import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { isPublicAddress } from '../platform/public-address.ts'
import { openSafeFetch } from '../platform/safe-fetch.ts'
import { logoRoutes } from './logos.routes.ts'
import { logo_bounds, openLogos } from './logos.service.ts'
import { pictureRoutes } from './pictures.routes.ts'
import { previewRoutes } from './previews.routes.ts'
import { openPreviews, type PreviewsDeps } from './previews.service.ts'
import { openPages, pageRoutes } from './routes.ts'
import { securityTxtRoutes } from './security-txt.routes.ts'
import { proxyEndpoint, type ProxyEndpointOptions } from './settings.rules.ts'
import type { PagesSettings } from './settings.ts'

/** The settings of other domains that the console shows. */
interface ShownSettings {
  apps_domain: string
  trusted_proxies: readonly string[]
  billing: boolean
  mail: { smtp_url: string | undefined }
  rewards: 'when_verified' | 'at_once'
  admin_second_factor: 'advised' | 'required'
}

/** The console, the logos of apps, and security.txt. */
export function pagesDomain(
  { db, clock, log, counter, public_url, is_sandbox, dns_servers }: Platform,
  settings: PagesSettings & ShownSettings,
  { router, ...deps }: Pick<ProxyEndpointOptions, 'router'> & Omit<PreviewsDeps, 'public_url'>,
) {
  const { apps_domain, trusted_proxies, billing, mail, rewards, admin_second_factor } = settings
  const is_behind_proxy = trusted_proxies.length > 0
  const proxy_endpoint = proxyEndpoint({ public_url, apps_domain, is_behind_proxy, router })
  const previews = openPreviews({ public_url, ...deps })
  const pages = openPages(previews, {
    apps: { domain: apps_domain, proxy_endpoint },
    is_billing_on: billing,
    is_mail_sent: mail.smtp_url !== undefined,
    has_passkeys: hasPasskeys(public_url),
    is_sandbox,
    do_rewards_wait: rewards === 'when_verified',
    admin_second_factor,
  })
  const fetch = openSafeFetch({
    ...logo_bounds,
    accept: 'image/*',
    dns_servers,
    ...(settings.logo_addresses === 'public' && { isAllowed: isPublicAddress }),
  })
  return {
    /** Answers paths without a route. */
    fallback: pages.fallback,
    mount(http: Http) {
      pageRoutes(http.fastify, pages)
      pictureRoutes(http, db)
      previewRoutes(http.fastify, previews, public_url)
      securityTxtRoutes(http.fastify, { contacts: settings.security_contacts, public_url, clock })
      logoRoutes(http, openLogos({ db, clock, log, counter, fetch }))
    },
  }
}
