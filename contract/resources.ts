import { login_session, profile, registered_user, signed_in_user } from './account-fields.ts'
import { message_response } from './accounts.ts'
import { admin_user, ledger_check, raw_message } from './admin.ts'
import { audit_entry } from './admin-audit.ts'
import { admin_campaign } from './admin-campaigns.ts'
import {
  admin_deploy_tier,
  admin_deployment,
  container_host,
  host_finding,
  host_isolation,
} from './admin-deployments.ts'
import { failed_job } from './admin-jobs.ts'
import { failing_webhook } from './admin-payments.ts'
import { admin_person, admin_session } from './admin-users.ts'
import { ad_event, served_campaign, surface_type } from './ads.ts'
import { app_event, app_event_type, event_payloads } from './app-events.ts'
import * as apps from './app-fields.ts'
import { series } from './app-payments.ts'
import { replica_usage, requests_point, usage_point } from './deployment-metrics.ts'
import * as deployments from './deployment-fields.ts'
import { board_place } from './boards.ts'
import { external_user } from './external.ts'
import { learning_module, learning_path, module_status, source, step } from './learning.ts'
import * as moderation from './moderation-fields.ts'
import * as notices from './notice-fields.ts'
import * as oauth from './oauth-fields.ts'
import { public_key } from './openid.ts'
import { analytics } from './operators.ts'
import * as payments from './payment-fields.ts'
import * as passkeys from './passkey-fields.ts'
import * as points from './point-fields.ts'
import { review } from './review-fields.ts'
import * as social from './social-fields.ts'
import { server_metadata } from './system.ts'
import * as webhooks from './webhook-fields.ts'

/**
 * The shapes of the API's requests and responses, by name: the components of the OpenAPI document (D-114), from which
 * generators make types. A schema of the document that equals one of these refers to it, even if its description
 * differs or it may be null.
 */
export const resources = {
  // People
  RegisteredUser: registered_user,
  Review: review,
  SignedInUser: signed_in_user,
  Profile: profile,
  ExternalUser: external_user,
  LoginSession: login_session,
  Passkey: passkeys.passkey,
  PasskeyRequestOptions: passkeys.request_options,
  PasskeyCreationOptions: passkeys.creation_options,
  PasskeyAuthentication: passkeys.authentication_response,
  PasskeyRegistration: passkeys.registration_response,
  MessageResponse: message_response,

  // Apps
  AppStatus: apps.app_status,
  AppReview: apps.app_review,
  App: apps.changed_app,
  OwnedApp: apps.operator_app,
  NewApp: apps.new_app,
  OwnedAppWithUsers: apps.app_with_users,
  OperatorApp: apps.full_app,
  PublicApp: apps.public_app,
  ListedApp: apps.listed_app,
  ScopeRequest: apps.scope_request,
  ClientSecret: apps.secret,
  NewClientSecret: apps.new_secret,
  Analytics: analytics,

  // OAuth
  Authorization: oauth.authorization,
  AuthorizationRequest: oauth.authorization_request,
  AuthorizationCodeGrant: oauth.code_grant,
  RefreshTokenGrant: oauth.refresh_grant,
  AuthorizationCodeForm: oauth.code_form,
  RefreshTokenForm: oauth.refresh_form,
  TokenResponse: oauth.token_response,
  Revocation: oauth.revocation_parameters,
  Introspection: oauth.introspection,
  ConnectedApp: oauth.connected_app,
  ServerMetadata: server_metadata,
  PublicKey: public_key,

  // Points
  TransferKind: points.transfer_kind,
  PointsBalance: points.points_balance,
  SpendResult: points.spend_result,
  TransferResult: points.transfer_result,
  HistoryEntry: points.history_entry,
  DayOfPoints: points.day_of_points,
  Hold: payments.hold,
  HoldStatus: payments.hold_status,
  MadeHold: payments.made_hold,
  SettledHold: payments.settled_hold,
  RefundResult: payments.refund_result,
  PayoutResult: payments.payout_result,
  PayoutOutcome: payments.payout_outcome,
  WithdrawalResult: payments.withdrawal_result,
  ReleaseReason: payments.release_reason,
  OwnHold: payments.own_hold,
  OwnerHold: payments.owner_hold,
  AppTransfer: payments.app_transfer,
  OwnerTransfer: payments.owner_transfer,
  AppBalance: payments.app_balance,
  BalanceSeries: series,

  // Webhooks
  ...event_payloads,
  AppEventType: app_event_type,
  AppEvent: app_event,
  Webhook: webhooks.webhook,
  DeliveryStatus: webhooks.delivery_status,
  WebhookDelivery: webhooks.delivery,
  LoggedDelivery: webhooks.logged_delivery,
  DeliveryAttempt: webhooks.attempt,

  // Hosting
  DeploymentStatus: deployments.deployment_status,
  Deployment: deployments.deployment,
  DeploymentState: deployments.deployment_state,
  DeployLogEntry: deployments.deploy_log_entry,
  DeployRelease: deployments.deploy_release,
  DeploymentDomain: deployments.domain_state,
  CheckedDomain: deployments.checked_domain,
  ReleasedDeployment: deployments.released_deployment,
  DeployTier: deployments.deploy_tier,
  PaymentMethod: deployments.payment_method,
  OutputLine: deployments.output_line,
  UsagePoint: usage_point,
  ReplicaUsage: replica_usage,
  RequestsPoint: requests_point,

  // Social
  Friend: social.friend,
  FriendRequest: social.friend_request,
  Friendship: social.friendship,
  FriendshipStatus: social.friendship_status,
  BlockedUser: social.blocked_user,
  FoundUser: social.found_user,
  ChannelType: social.channel_type,
  ChatChannel: social.channel,
  ChatMessage: social.message,
  PresenceStatus: social.presence_status,
  PresenceEntry: social.presence_entry,
  TablePresence: social.table_presence,
  Report: moderation.report,
  ReportReason: moderation.report_reason,
  Notice: notices.notice,
  NoticeKind: notices.notice_kind,
  NoticeSetting: notices.notice_setting,

  // Learning and ads
  LearningPath: learning_path,
  LearningModule: learning_module,
  ModuleStatus: module_status,
  ModuleStep: step,
  BoardPlace: board_place,
  ModuleSource: source,
  SurfaceType: surface_type,
  ServedCampaign: served_campaign,
  AdEvent: ad_event,

  // Administration
  AdminApp: apps.admin_app,
  AdminScopeRequest: apps.admin_scope_request,
  ScopeRequestStatus: apps.scope_request_status,
  AdminUser: admin_user,
  AdminCampaign: admin_campaign,
  AdminDeployTier: admin_deploy_tier,
  AdminDeployment: admin_deployment,
  ContainerHost: container_host,
  HostIsolation: host_isolation,
  HostFinding: host_finding,
  FailedJob: failed_job,
  LedgerAccount: payments.account,
  LedgerCheck: ledger_check,
  AdminTransfer: payments.admin_transfer,
  AdminHold: payments.admin_hold,
  FailingWebhook: failing_webhook,
  RawMessage: raw_message,
  AuditEntry: audit_entry,
  AdminPerson: admin_person,
  AdminSession: admin_session,
  ModerationCase: moderation.moderation_case,
  CaseReport: moderation.case_report,
  CaseDetail: moderation.case_detail,
  CaseDecision: moderation.case_decision,
}

/** Resources that extend another one with more fields. */
export const extended = {
  OwnedApp: 'App',
  OwnedAppWithUsers: 'App',
  NewApp: 'App',
  OperatorApp: 'App',
  AdminApp: 'App',
  NewClientSecret: 'ClientSecret',
  OwnerHold: 'Hold',
  OwnerTransfer: 'AppTransfer',
  LoggedDelivery: 'WebhookDelivery',
  AdminDeployment: 'Deployment',
  AdminDeployTier: 'DeployTier',
  LearningModule: 'ModuleStatus',
  AdminPerson: 'AdminUser',
} as const satisfies Partial<Record<keyof typeof resources, keyof typeof resources>>
