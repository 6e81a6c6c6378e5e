import { accountsDomain } from './accounts/domain.ts'
import { handledByAll, type AccountEvents } from './accounts/service.ts'
import { adminDomain, audited_oauth_events } from './admin/domain.ts'
import { adsDomain } from './ads/domain.ts'
import type { Config } from './config.ts'
import { docsDomain } from './docs/domain.ts'
import { joined, type Domain, type Platform } from './domain.ts'
import { hostingDomain } from './hosting/domain.ts'
import type { Http } from './http/mount.ts'
import { createHttpServer, type ServerOptions } from './http/server.ts'
import type { KeptKeys } from './keys.ts'
import type { Course } from './learning/content.rules.ts'
import { learningDomain } from './learning/domain.ts'
import { leavingDomain } from './leaving/domain.ts'
import { mcpDomain } from './mcp/domain.ts'
import type { McpFixtures } from './mcp/routes.ts'
import { noticesDomain } from './notices/domain.ts'
import { oauthDomain } from './oauth/domain.ts'
import { operatorsDomain } from './operators/domain.ts'
import { pagesDomain } from './pages/domain.ts'
import type { Passwords } from './platform/passwords.ts'
import { openRateCounter, type RateCounter } from './platform/rate-limit.ts'
import type { Readiness } from './platform/readiness.ts'
import { pointsDomain } from './points/domain.ts'
import { isRouter } from './processes/roles.ts'
import { sandboxDomain } from './sandbox/domain.ts'
import { socialDomain } from './social/domain.ts'
import { systemDomain } from './system/domain.ts'
import { webhooksDomain } from './webhooks/domain.ts'

export interface AppParts extends Omit<Platform, 'counter' | 'public_url' | 'is_sandbox' | 'dns_servers'> {
  config: Config
  /** Keys of retired secrets that still verify. */
  kept_keys?: KeptKeys
  passwords: Passwords
  version: string
  readiness: Readiness
  course: Course
  body_seconds?: number | undefined
  mcp_fixtures?: McpFixtures | undefined
}

/** A domain of the service, which may handle account events. */
interface ServiceDomain extends Domain {
  account_events?: Partial<AccountEvents>
}

export type App = ReturnType<typeof buildApp>

/** Composes the service: opens every domain, and mounts their endpoints in the order of the API reference. */
export function buildApp(parts: AppParts) {
  const { config, kept_keys, passwords, version, readiness, db, clock, invalidations, mailer } = parts
  const { public_url, is_sandbox, dns_servers } = config
  const platform: Platform = { ...parts, counter: openRateCounter(db, clock), public_url, is_sandbox, dns_servers }

  const events = handledByAll(() => domains.map(({ account_events = {} }) => account_events))
  const accounts = accountsDomain(platform, config, { passwords, events, kept_keys: kept_keys?.codes })
  const points = pointsDomain(platform, config, () => ({
    people: social.people,
    standingOf: oauth.standingOf,
    requireProof: (caller) => accounts.authenticate.proof(caller, undefined),
  }))
  const oauth = oauthDomain(platform, config, { accounts: accounts.deps, events: audited_oauth_events })
  const social = socialDomain(platform, config, accounts.deps, [...parts.course.keys()])
  const hosting = hostingDomain(platform, config, { client_guard: oauth.client_guard, kept_keys: kept_keys?.proofs })
  const docs = docsDomain(platform, version)
  const router = isRouter(config) || config.router.port_given ? config.router : undefined
  const { isStaffName } = accounts.deps
  const pages = pagesDomain(platform, config, { router, findInvitation: points.findInvitation, isStaffName })

  const domains: readonly ServiceDomain[] = [
    accounts,
    oauth,
    points,
    social,
    noticesDomain(platform, config),
    webhooksDomain(platform, oauth.deps),
    adsDomain(platform, config),
    learningDomain(platform, config, parts.course),
    hosting,
    operatorsDomain(platform, { accounts: accounts.deps, oauth: oauth.deps, points: points.deps }),
    adminDomain(platform, config, {
      accounts: accounts.deps,
      points: points.deps,
      hosting: hosting.deps,
      events: social.moderation_events,
    }),
    ...(is_sandbox ? [sandboxDomain(platform, accounts.deps)] : []),
    leavingDomain(platform, accounts.deps, oauth.deps),
    mcpDomain(platform, version, parts.mcp_fixtures),
    systemDomain(platform, { readiness, version, has_client_documents: config.client_documents !== 'off' }),
    docs,
    pages,
  ]

  const http = openHttp(parts, {
    counter: platform.counter,
    fallback: pages.fallback,
    authenticate: { ...accounts.authenticate, ...oauth.authenticate },
  })
  for (const domain of domains) domain.mount?.(http)
  return {
    ...joined(domains),
    fastify: http.fastify,
    endpoints: http.endpoints,
    mailer,
    invalidations,
    accounts: accounts.deps,
    last_uses: oauth.last_uses,
    prepareDocs: docs.prepare,
  }
}

interface HttpParts extends Pick<Http, 'authenticate'> {
  counter: RateCounter
  fallback: NonNullable<ServerOptions['fallback']>
}

/** The HTTP server, on which the domains mount their endpoints. */
function openHttp(
  { config: { public_url, trusted_proxies, limits }, log, clock, body_seconds }: AppParts,
  { counter, fallback, authenticate }: HttpParts,
): Http {
  const endpoints: Http['endpoints'] = []
  const fastify = createHttpServer({ log, public_url, trusted_proxies, endpoints, fallback, body_seconds })
  return { fastify, endpoints, authenticate, limits: { counter, settings: limits, clock } }
}
