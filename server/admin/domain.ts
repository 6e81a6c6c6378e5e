import type { AccountEvents, AccountsDeps } from '../accounts/service.ts'
import type { Platform } from '../domain.ts'
import type { OutputFollower } from '../hosting/api/output-follower.service.ts'
import type { DeploymentsDeps } from '../hosting/api/service.ts'
import type { Http } from '../http/mount.ts'
import type { OAuthEvents } from '../oauth/service.ts'
import type { ModerationEvents } from '../social/moderation.service.ts'
import { campaignRoutes } from './campaigns.routes.ts'
import { hostingRoutes } from './deployments.routes.ts'
import { adminJobs } from './jobs.ts'
import { jobRoutes } from './jobs.routes.ts'
import { moderationRoutes } from './moderation.routes.ts'
import { adminPaymentsRoutes } from './payments.routes.ts'
import { adminRoutes } from './routes.ts'
import type { AwardsDeps } from './awards.service.ts'
import { reviewRoutes } from './reviews.routes.ts'
import { auditGrantedAdmin, auditOwner } from './service.ts'
import { adminUsersRoutes } from './users.routes.ts'
import type { AdminUsersDeps } from './users.service.ts'

/** Owners' acts that the audit log records. */
export const audited_oauth_events: OAuthEvents = {
  acted: (tx, act) => auditOwner(tx, act),
}

const account_events: Partial<AccountEvents> = {
  admin_granted: (tx, event) => auditGrantedAdmin(tx, event),
}

interface AdminParts {
  accounts: AccountsDeps
  points: AdminUsersDeps['points']
  hosting: DeploymentsDeps & { output: OutputFollower }
  events: ModerationEvents
}

/** The calls of admins, each audited. */
export const adminDomain = (
  { db, clock }: Platform,
  settings: AwardsDeps['settings'],
  { accounts, points, hosting, events }: AdminParts,
) => ({
  account_events,
  mount(http: Http) {
    adminRoutes(http, { accounts, events, settings })
    reviewRoutes(http, { accounts })
    campaignRoutes(http, { accounts })
    hostingRoutes(http, { accounts }, hosting)
    jobRoutes(http, { accounts })
    adminPaymentsRoutes(http, { accounts })
    adminUsersRoutes(http, { accounts, points })
    moderationRoutes(http, { accounts, events })
  },
  jobs: adminJobs({ db, clock }),
})
