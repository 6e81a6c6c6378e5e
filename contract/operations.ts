import * as account_upkeep from './account-upkeep.ts'
import * as accounts from './accounts.ts'
import * as admin from './admin.ts'
import * as admin_apps from './admin-apps.ts'
import * as admin_audit from './admin-audit.ts'
import * as admin_campaigns from './admin-campaigns.ts'
import * as admin_deployments from './admin-deployments.ts'
import * as admin_jobs from './admin-jobs.ts'
import * as admin_moderation from './admin-moderation.ts'
import * as admin_payments from './admin-payments.ts'
import * as admin_reviews from './admin-reviews.ts'
import * as admin_users from './admin-users.ts'
import * as ads from './ads.ts'
import * as app_payments from './app-payments.ts'
import * as boards from './boards.ts'
import * as cli from './cli.ts'
import * as conversations from './conversations.ts'
import * as deployment_metrics from './deployment-metrics.ts'
import * as deployments from './deployments.ts'
import * as external from './external.ts'
import * as leaving from './leaving.ts'
import * as learning from './learning.ts'
import * as mcp from './mcp.ts'
import * as moderation from './moderation.ts'
import * as notice_devices from './notice-devices.ts'
import * as notice_reads from './notice-reads.ts'
import * as notices from './notices.ts'
import * as oauth from './oauth.ts'
import * as oauth_apps from './oauth-apps.ts'
import * as openid from './openid.ts'
import * as operators from './operators.ts'
import * as passkeys from './passkeys.ts'
import * as payments from './payments.ts'
import * as points from './points.ts'
import * as profiles from './profiles.ts'
import * as registry from './registry.ts'
import * as sandbox from './sandbox.ts'
import * as sending from './sending.ts'
import * as social from './social.ts'
import * as system from './system.ts'
import * as teams from './teams.ts'
import * as webhooks from './webhooks.ts'
import type { Declaration } from './endpoint.ts'

const modules = [
  account_upkeep,
  accounts,
  admin_apps,
  admin,
  admin_audit,
  admin_campaigns,
  admin_deployments,
  admin_jobs,
  admin_moderation,
  admin_payments,
  admin_reviews,
  admin_users,
  ads,
  app_payments,
  boards,
  cli,
  conversations,
  deployment_metrics,
  deployments,
  external,
  learning,
  leaving,
  mcp,
  moderation,
  notice_devices,
  notice_reads,
  notices,
  oauth,
  oauth_apps,
  openid,
  operators,
  passkeys,
  payments,
  points,
  profiles,
  registry,
  sending,
  social,
  system,
  teams,
  webhooks,
]

const isDeclaration = (value: unknown): value is Declaration =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value

const declarationsOf = (parts: readonly object[]): Readonly<Record<string, Declaration>> =>
  Object.fromEntries(
    parts.flatMap((module) =>
      Object.entries(module).flatMap(([name, value]): [string, Declaration][] =>
        isDeclaration(value) ? [[name, value]] : [],
      ),
    ),
  )

/**
 * Every endpoint of the API by the name of its declaration, which is the operation's id in the OpenAPI document
 * (D-114).
 */
export const operations = declarationsOf(modules)

/** The additional endpoints of a sandbox (D-102). */
export const sandbox_operations = declarationsOf([sandbox])
