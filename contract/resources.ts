import { login_session, message_response } from './accounts.ts'
import { admin_app, admin_scope_request, admin_user } from './admin.ts'
import { admin_campaign } from './admin-campaigns.ts'
import { admin_deploy_tier, admin_deployment } from './admin-deployments.ts'
import { failed_job } from './admin-jobs.ts'
import { account, admin_transfer, admin_hold } from './admin-payments.ts'
import { owner_transfer, owner_hold, series } from './app-payments.ts'
import { deployment, deploy_log_entry, domain_state, output_line } from './deployments.ts'
import { step, source } from './learning.ts'
import { operator_app, scope_request } from './oauth-apps.ts'
import { hold, app_transfer } from './payments.ts'
import { history_entry } from './points.ts'
import { message, presence_entry } from './social.ts'
import { server_metadata } from './system.ts'
import { app_event, webhook, attempt, delivery } from './webhooks.ts'

/**
 * What the API answers with, by name: the components of the OpenAPI document (D-114), from which generators make types. Where a schema
 * of the document equals one of these, it refers to it.
 */
export const resources = {
  LoginSession: login_session,
  MessageResponse: message_response,
  AdminApp: admin_app,
  AdminScopeRequest: admin_scope_request,
  AdminUser: admin_user,
  AdminCampaign: admin_campaign,
  AdminDeployTier: admin_deploy_tier,
  AdminDeployment: admin_deployment,
  FailedJob: failed_job,
  LedgerAccount: account,
  AdminTransfer: admin_transfer,
  AdminHold: admin_hold,
  OwnerTransfer: owner_transfer,
  OwnerHold: owner_hold,
  BalanceSeries: series,
  Deployment: deployment,
  DeployLogEntry: deploy_log_entry,
  DeploymentDomain: domain_state,
  OutputLine: output_line,
  ModuleStep: step,
  ModuleSource: source,
  OwnedApp: operator_app,
  ScopeRequest: scope_request,
  Hold: hold,
  AppTransfer: app_transfer,
  HistoryEntry: history_entry,
  ChatMessage: message,
  PresenceEntry: presence_entry,
  ServerMetadata: server_metadata,
  AppEvent: app_event,
  Webhook: webhook,
  DeliveryAttempt: attempt,
  WebhookDelivery: delivery,
}
