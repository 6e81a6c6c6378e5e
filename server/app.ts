import type { ConsoleSettings } from '../contract/console-settings.ts'
import { operations, sandbox_operations } from '../contract/operations.ts'
import { parameters } from '../contract/parameters.ts'
import { extended, resources } from '../contract/resources.ts'
import { tags } from '../contract/tags.ts'
import { webhook_delivery, webhook_headers, webhook_payloads } from '../contract/app-events.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { auditGrantedAdmin, auditResubmittedApp } from './admin/service.ts'
import { campaignRoutes } from './admin/campaigns.routes.ts'
import { hostingRoutes } from './admin/deployments.routes.ts'
import { jobRoutes } from './admin/jobs.routes.ts'
import { moderationRoutes } from './admin/moderation.routes.ts'
import { adminPaymentsRoutes } from './admin/payments.routes.ts'
import { adminUsersRoutes } from './admin/users.routes.ts'
import { adminJobs } from './admin/jobs.ts'
import { adsRoutes } from './ads/routes.ts'
import { openAdDraws, openAdEvents } from './ads/service.ts'
import { accountsRoutes } from './accounts/routes.ts'
import { hasPasskeys } from './accounts/passkey-answers.service.ts'
import { requireRecentProof, type Proof } from './accounts/proof.service.ts'
import { accountsJobs } from './accounts/jobs.ts'
import { requireAdminSecondFactor } from './accounts/second-factor.service.ts'
import { staffNames } from './accounts/staff-names.rules.ts'
import {
  accountKeys,
  authenticateUser,
  isSignedIn,
  createSessionCache,
  type AccountEvents,
  type AccountsDeps,
} from './accounts/service.ts'
import type { Config } from './config.ts'
import { docsRoutes } from './docs/routes.ts'
import { deploymentsJobs } from './hosting/api/jobs.ts'
import { openOutputFollower } from './hosting/api/output-follower.service.ts'
import { outputRoutes } from './hosting/api/output.routes.ts'
import { proofs_purpose } from './hosting/api/domains.service.ts'
import { registryRoutes } from './hosting/api/registry.routes.ts'
import { openRegistryTokens, registryKeySealing } from './hosting/api/registry.service.ts'
import { deploymentsRoutes } from './hosting/api/routes.ts'
import { environmentKeys } from './hosting/api/service.ts'
import { reactivateDeploymentsOfOwner, suspendDeploymentsOfOwner } from './hosting/api/review.service.ts'
import { openCompletionPoller } from './hosting/api/completion.service.ts'
import type { Http } from './http/mount.ts'
import { createHttpServer } from './http/server.ts'
import type { Job } from './jobs/runner.ts'
import type { KeptKeys, Secrets } from './keys.ts'
import { secondsAfter, type Clock } from './platform/clock.ts'
import { fieldsOf } from './platform/failure.ts'
import type { Database } from './platform/postgres/database.ts'
import { failed_jobs_seconds, purgeFailedJobs } from './platform/failed-jobs.ts'
import type { Reads } from './platform/postgres/reads.ts'
import { openSafeFetch } from './platform/safe-fetch.ts'
import { openJwtKeyRing } from './platform/jwt.ts'
import type { Logger } from './platform/log.ts'
import type { Mailer } from './platform/mail.ts'
import { purgeExpiredCounts, openRateCounter } from './platform/rate-limit.ts'
import type { Readiness } from './platform/readiness.ts'
import type { InvalidationBus } from './platform/batching/invalidation-bus.ts'
import { inBatches } from './platform/in-batches.ts'
import { keyRing } from './platform/secrets.ts'
import { isPublicAddress } from './platform/public-address.ts'
import type { Passwords } from './platform/passwords.ts'
import { noticesJobs } from './notices/jobs.ts'
import { noticeRoutes } from './notices/routes.ts'
import { openTxtLookup } from './hosting/api/txt-records.ts'
import {
  authenticateClientCall,
  authenticateClientOr,
  createClientCache,
  createClientGuard,
} from './oauth/client-authentication.service.ts'
import { document_bounds, openClientDocuments } from './oauth/client-documents.service.ts'
import { oauthJobs } from './oauth/jobs.ts'
import { createAuthorizationCodes } from './oauth/authorization-codes.service.ts'
import {
  reinstateAppsOfOwner,
  revokeAllAccess,
  suspendAppsOfOwner,
  voidPendingCodes,
} from './oauth/connections.service.ts'
import { createLastUseRecorder } from './oauth/last-use.service.ts'
import { tokenStanding } from './oauth/standing.service.ts'
import { openSigningKeys, signingKeySealing } from './oauth/signing-keys.service.ts'
import { authenticateApp, createTokenCache, type OAuthDeps } from './oauth/service.ts'
import type { Course } from './learning/content.rules.ts'
import { leavingJobs } from './leaving/jobs.ts'
import { leavingRoutes } from './leaving/routes.ts'
import { learningRoutes } from './learning/routes.ts'
import { operatorsJobs } from './operators/jobs.ts'
import { paymentsRoutes } from './operators/payments.routes.ts'
import { operatorsRoutes } from './operators/routes.ts'
import { logoRoutes } from './pages/logos.routes.ts'
import { logo_bounds, openLogos } from './pages/logos.service.ts'
import { openPages, pageRoutes } from './pages/routes.ts'
import { securityTxtRoutes } from './pages/security-txt.routes.ts'
import { proxyEndpoint } from './pages/settings.rules.ts'
import { holdJobs, pointNoticeJobs, pointsJobs, pointStreamJobs, rewardJobs } from './points/jobs.ts'
import { pointsRoutes } from './points/routes.ts'
import { holdRoutes } from './points/holds.routes.ts'
import { openHolds } from './points/holds.service.ts'
import { pointStreamRoutes } from './points/streams.routes.ts'
import { openPointStreams } from './points/streams.service.ts'
import { statementRoutes } from './points/statements.routes.ts'
import { openLedger } from './points/ledger.service.ts'
import { openBalances, openTotals } from './points/balances.service.ts'
import { openUserAccount } from './points/issuing.service.ts'
import { giveReward, payWaitingRewards } from './points/rewards.service.ts'
import { sandboxJobs } from './sandbox/jobs.ts'
import { mailKeys } from './sandbox/mails.service.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { socialRoutes } from './social/routes.ts'
import { chatRoutes } from './social/chat.routes.ts'
import { betweenPeople } from './social/between-people.service.ts'
import { openChat } from './social/chat.service.ts'
import { eventRoutes } from './social/events/routes.ts'
import { openEvents } from './social/events/dispatcher.ts'
import { social_events } from './social/events/service.ts'
import { moderationJobs, socialJobs } from './social/jobs.ts'
import { moderation_mails } from './social/moderation-mail.service.ts'
import type { ModerationEvents } from './social/moderation.service.ts'
import { friend_notices, moderation_notices } from './social/notices.service.ts'
import { enqueueLeave } from './social/presence.service.ts'
import { reportRoutes } from './social/reports.routes.ts'
import { openSocial, type SocialEvents } from './social/service.ts'
import { textFilter } from './social/text-filter.rules.ts'
import { isRouter } from './processes/roles.ts'
import { systemRoutes } from './system/routes.ts'
import { openAddressPolicy } from './webhooks/addresses.service.ts'
import { openDispatcher } from './webhooks/dispatcher.service.ts'
import { webhooksJobs } from './webhooks/jobs.ts'
import { webhooksRoutes } from './webhooks/routes.ts'
import { webhookKeys } from './webhooks/secrets.service.ts'

export interface AppParts {
  config: Config
  /** The secrets all keys derive from; the first is the newest. */
  secrets: Secrets
  /** Keys of retired secrets that still verify. */
  kept_keys?: KeptKeys
  db: Database
  clock: Clock
  log: Logger
  mailer: Mailer
  passwords: Passwords
  version: string
  invalidations: InvalidationBus
  reads: Reads
  readiness: Readiness
  course: Course
  body_seconds?: number | undefined
}

const webhook_declarations = {
  events: webhook_payloads,
  headers: webhook_headers,
  description: webhook_delivery,
  tag: 'Webhooks',
  decision: 'D-101',
} as const

/** Streams and notices both hear of friendships. */
const friend_events: SocialEvents = {
  friendship_changed: async (tx, change) => {
    await social_events.friendship_changed(tx, change)
    await friend_notices.friendship_changed(tx, change)
  },
}

/** Mails and notices both tell what admins decide. */
const moderation_events: ModerationEvents = {
  case_decided: async (tx, event) => {
    await moderation_mails.case_decided(tx, event)
    await moderation_notices.case_decided(tx, event)
  },
  person_moderated: async (tx, event) => {
    await moderation_mails.person_moderated(tx, event)
    await moderation_notices.person_moderated(tx, event)
  },
}

export type App = ReturnType<typeof buildApp>

/** Composes the service: the dependencies, routes and jobs of every domain. */
export function buildApp(parts: AppParts) {
  const { config, secrets, db, clock, log, mailer, passwords, version, invalidations, reads, course } = parts
  const { public_url, lifetimes } = config
  const ledger = openLedger(db, clock)
  const counter = openRateCounter(db, clock)
  const last_uses = createLastUseRecorder(db, clock)

  const accounts: AccountsDeps = {
    db,
    clock,
    jwt: openJwtKeyRing(secrets, public_url),
    jwt_seconds: lifetimes.jwt_seconds,
    public_url,
    keys: accountKeys(secrets, parts.kept_keys?.codes),
    passwords,
    mailer,
    tiers: config.tiers,
    isStaffName: staffNames(config.reserved_usernames),
    counter,
    events: accountEvents(config, invalidations),
    invalidations: invalidations,
    sessions: createSessionCache(db, invalidations),
  }
  const points = { db, clock, ledger, balances: openBalances(db), reads, totals: openTotals(db), holds: openHolds(db) }
  const signing = { db, clock, keys: signingKeySealing(secrets) }
  const documents = openClientDocuments({
    db,
    clock,
    log,
    counter,
    accounts,
    addresses: config.client_documents,
    fetch: documentFetch(config),
  })
  const oauth: OAuthDeps = {
    db,
    documents,
    clock,
    issuer: public_url,
    lifetimes,
    events: { app_resubmitted: async (tx, event) => void (await auditResubmittedApp(tx, event)) },
    heartbeat_seconds: config.session_heartbeat_seconds,
    codes: createAuthorizationCodes(db, clock, lifetimes),
    last_uses,
    invalidations: invalidations,
    signing_keys: openSigningKeys(signing),
    is_sandbox: config.is_sandbox,
    tokens: createTokenCache(db, invalidations),
  }

  const filter = textFilter(config.chat_words)
  const social = openSocial({ db, clock, events: friend_events, invalidations, reads, filter })
  const chat = openChat({ db, clock, filter })
  const events = openEvents({
    db,
    clock,
    log,
    filter,
    heartbeat_seconds: config.events_heartbeat_seconds,
    isSignedIn: (caller) => isSignedIn(accounts, caller),
    invalidationVersion: invalidations.version,
  })

  const point_streams = openPointStreams({
    db,
    clock,
    log,
    heartbeat_seconds: config.events_heartbeat_seconds,
    invalidationVersion: invalidations.version,
  })
  const webhooks = openWebhooks(parts)
  const ads = {
    db,
    clock,
    repeats: config.ad_repeats,
    random: Math.random,
    draws: openAdDraws(db, clock),
    events: openAdEvents(db, clock),
  }
  const operators = { db, clock, oauth, reads }
  const deployments = openDeployments(parts)

  const endpoints: Http['endpoints'] = []
  const pages = openPages(consoleSettings(config))
  const { fallback } = pages
  const fastify = createHttpServer({
    log,
    public_url,
    trusted_proxies: config.trusted_proxies,
    endpoints,
    fallback,
    body_seconds: parts.body_seconds,
  })
  const clients = createClientCache(db, invalidations)
  const client_guard = createClientGuard({ db, clients, clock, counter, limit: config.limits.token })
  const http: Http = {
    fastify,
    endpoints,
    limits: { counter, settings: config.limits, clock },
    authenticate: {
      user: (token, reading) => authenticateUser(accounts, token, reading),
      app: (token, reading) => authenticateApp(oauth, token, reading),
      client: (authorization, address, reading) =>
        authenticateClientCall(client_guard, authorization, address, reading),
      admin: (caller) => requireAdminSecondFactor(accounts, caller, config.admin_second_factor),
      proof: (caller, sent) => requireRecentProof(accounts, caller, fieldsOf(sent) as Proof),
      recordAppUse: (caller) => last_uses.record(caller),
    },
  }
  accountsRoutes(http, accounts)
  oauthRoutes(http, oauth, accounts)
  pointsRoutes(http, { ...points, people: betweenPeople({ db, clock, filter }) })
  holdRoutes(http, points)
  statementRoutes(http, points)
  pointStreamRoutes(http, point_streams, (caller, mayRead) => tokenStanding(oauth, caller, mayRead))
  socialRoutes(http, social)
  chatRoutes(http, chat)
  noticeRoutes(http, { db, clock })
  reportRoutes(http, { db, clock })
  eventRoutes(http, events)
  webhooksRoutes(http, webhooks)
  adsRoutes(http, ads)
  learningRoutes(http, { db, clock, course, rewards: config.rewards })
  deploymentsRoutes(http, deployments)
  registryRoutes(
    http,
    openRegistryTokens({ ...deployments, issuer: public_url, keys: registryKeySealing(secrets) }),
    (authorization, address, reading) =>
      authenticateClientOr(client_guard, config.containers.registry_credentials, authorization, address, reading),
  )
  outputRoutes(http, deployments)
  operatorsRoutes(http, operators)
  paymentsRoutes(http, { ...points, oauth })
  adminRoutes(http, { accounts, events: moderation_events })
  campaignRoutes(http, { accounts })
  hostingRoutes(http, { accounts }, deployments)
  jobRoutes(http, { accounts })
  adminPaymentsRoutes(http, { accounts })
  adminUsersRoutes(http, { accounts, points })
  moderationRoutes(http, { accounts, events: moderation_events })
  leavingRoutes(http, { accounts })
  if (config.is_sandbox) sandboxRoutes(http, accounts, { db, clock, keys: mailKeys(secrets) })
  const has_client_documents = config.client_documents !== 'off'
  systemRoutes(http, {
    readiness: parts.readiness,
    public_url,
    version,
    is_sandbox: config.is_sandbox,
    has_client_documents,
  })
  const prepareDocs = docsRoutes(http, {
    public_url,
    version,
    tags,
    is_sandbox: config.is_sandbox,
    operations: { ...operations, ...(config.is_sandbox && sandbox_operations) },
    names: { resources, extended, parameters },
    webhooks: webhook_declarations,
  })
  pageRoutes(fastify, pages)
  securityTxtRoutes(fastify, { contacts: config.security_contacts, public_url, clock })
  logoRoutes(http, openLogos({ db, clock, log, counter, fetch: logoFetch(config) }))

  const jobs: Job[] = [
    ...accountsJobs(accounts, mailer),
    ...holdJobs(points),
    ...oauthJobs(oauth, signing, mailer),
    ...pointsJobs(points),
    ...pointNoticeJobs({ db, clock }),
    ...rewardJobs({ db, clock }),
    ...noticesJobs({ db, clock, issuer: public_url }, mailer),
    ...pointStreamJobs({ db, clock }),
    ...webhooksJobs(webhooks, { db, issuer: public_url }, mailer),
    ...socialJobs({ db, clock, presence: social.presence }),
    ...moderationJobs({ db, clock, issuer: public_url }, mailer),
    ...deploymentsJobs(deployments, { db, issuer: public_url }, mailer),
    ...operatorsJobs(operators),
    ...adminJobs({ db, clock }),
    ...leavingJobs({ db, clock }),
    ...(config.is_sandbox ? sandboxJobs({ db, clock }) : []),
    {
      name: 'platform.forget_old_counts',
      former_name: 'kit.forget_old_counts',
      cron: '*/5 * * * *',
      run: () => inBatches(10_000, () => purgeExpiredCounts(db.adHoc, clock(), 10_000)),
    },
    {
      name: 'platform.forget_failed_jobs',
      former_name: 'kit.forget_failed_jobs',
      cron: '37 * * * *',
      run: () => inBatches(1_000, () => purgeFailedJobs(db, secondsAfter(clock(), -failed_jobs_seconds), 1_000)),
    },
  ]
  /** Writes everything that is queued in memory; called when no request is in flight any more. */
  const drain = async () => {
    deployments.completions.close()
    deployments.output.close()
    await Promise.all([
      ledger.drain(),
      oauth.codes.drain(),
      ads.events.drain(),
      counter.drain(),
      last_uses.flush(),
      social.presence.drain(),
    ])
    await Promise.all([chat.posts.drain(), events.drain()])
  }
  const caches = { tokens: oauth.tokens, sessions: accounts.sessions }
  return {
    fastify,
    endpoints,
    jobs,
    accounts,
    last_uses,
    events,
    point_streams,
    caches,
    invalidations,
    webhooks: webhooks.dispatcher,
    mailer,
    prepareDocs,
    drain,
  }
}

function consoleSettings(config: Config): ConsoleSettings {
  const { public_url, apps_domain, trusted_proxies, billing, mail, is_sandbox, rewards, admin_second_factor } = config
  const proxy_endpoint = proxyEndpoint({
    public_url,
    apps_domain,
    is_behind_proxy: trusted_proxies.length > 0,
    router: isRouter(config) || config.router.port_given ? config.router : undefined,
  })
  return {
    apps: { domain: apps_domain, proxy_endpoint },
    is_billing_on: billing,
    is_mail_sent: mail.smtp_url !== undefined,
    has_passkeys: hasPasskeys(public_url),
    is_sandbox,
    do_rewards_wait: rewards === 'when_verified',
    admin_second_factor,
  }
}

/** The dependencies of hosting. */
function openDeployments({ config, secrets, kept_keys, db, clock }: AppParts) {
  return {
    db,
    clock,
    registries: config.registries,
    names: { apps_domain: config.apps_domain, public_host: new URL(config.public_url).hostname },
    billing: config.billing,
    env_keys: environmentKeys(secrets),
    proof_keys: keyRing(secrets, proofs_purpose, kept_keys?.proofs),
    completions: openCompletionPoller(db),
    txt: openTxtLookup(config.dns_servers),
    output: openOutputFollower(db),
  }
}

/** The dependencies of webhooks, and what delivers them. */
function openWebhooks({ config, secrets, db, clock, log }: AppParts) {
  const policy = openAddressPolicy(config.webhook_addresses, config.dns_servers)
  const keys = webhookKeys(secrets)
  const dispatcher = openDispatcher({ db, clock, log, keys, policy, random: Math.random })
  return { db, clock, keys, policy, dispatcher, wake: () => dispatcher.wake() }
}

/** Fetches logos from the addresses that apps name, except private ones (LOGO_ADDRESSES). */
const logoFetch = ({ logo_addresses, dns_servers }: Config) =>
  openSafeFetch({
    ...logo_bounds,
    accept: 'image/*',
    dns_servers,
    ...(logo_addresses === 'public' && { isAllowed: isPublicAddress }),
  })

/** Fetches documents of clients, without following redirects (CLIENT_DOCUMENTS). */
const documentFetch = ({ client_documents, dns_servers }: Config) =>
  openSafeFetch({
    ...document_bounds,
    accept: 'application/json',
    media_type: 'application/json',
    dns_servers,
    ...(client_documents === 'public' && { isAllowed: isPublicAddress }),
  })

/** Connects the events of accounts to the other domains. */
const accountEvents = (
  { signup_points, referral_points, rewards }: Config,
  invalidations: InvalidationBus,
): AccountEvents => ({
  registered: async (tx, { user_id, now }) => {
    await openUserAccount(tx, user_id)
    await giveReward(tx, now, rewards, { user_id, kind: 'signup', amount: signup_points })
  },
  email_verified: async (tx, { user, referrer, now }) => {
    await payWaitingRewards(tx, now, user.id)
    if (!referrer) return
    const amount = referral_points * referrer.signup_multiplier
    await giveReward(tx, now, rewards, { user_id: referrer.id, kind: 'referral', amount })
  },
  access_revoked: async (tx, { user_id, now }) => {
    await revokeAllAccess(invalidations, tx, user_id, now)
    await enqueueLeave(tx, user_id)
  },
  suspended: async (tx, { user_id, now }) => {
    await suspendAppsOfOwner(invalidations, tx, user_id, now)
    await suspendDeploymentsOfOwner(tx, user_id, now)
  },
  reactivated: async (tx, { user_id, now }) => {
    await reinstateAppsOfOwner(invalidations, tx, user_id)
    await reactivateDeploymentsOfOwner(tx, user_id, now)
  },
  admin_granted: async (tx, event) => {
    await auditGrantedAdmin(tx, event)
  },
  password_changed: async (tx, { user_id }) => {
    await voidPendingCodes(tx, user_id)
  },
})
