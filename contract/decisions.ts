import type { DecisionId } from './decision-texts.ts'
import { scopesWhere } from './kinds/scopes.ts'

/** The values of a decision, and its id. */
export interface Decided {
  readonly id: DecisionId
  readonly [value: string]: unknown
}

/**
 * The values of decisions, in the order of their ids. Code reads them from here, so that the register stays correct.
 */
export const decisions = {
  rate_limits: {
    id: 'D-06',
    login: { requests: 30, seconds: 60 },
    register: { requests: 20, seconds: 3600 },
    verify_email: { requests: 30, seconds: 900 },
    send_verification: { requests: 5, seconds: 900 },
    token: { requests: 600, seconds: 60 },
    token_verify: { requests: 6000, seconds: 60 },
  },
  idempotency_keys: {
    id: 'D-09',
    key_max: 255,
  },
  mailed_codes: {
    id: 'D-11',
    digits: 6,
    lifetime_seconds: 900,
    tries: 5,
  },
  usernames: {
    id: 'D-12',
    username_min: 3,
    username_max: 32,
  },
  passwords: {
    id: 'D-13',
    password_min: 8,
    password_max: 1024,
  },
  totp: {
    id: 'D-14',
    digits: 6,
    step_seconds: 30,
    window_steps: 1,
    recovery_codes: 10,
  },
  login_tokens: {
    id: 'D-15',
    jwt_seconds: 43_200,
  },
  membership: {
    id: 'D-16',
    tiers: [
      { name: 'bronze', emoji: '🥉' },
      { name: 'silver', emoji: '🥈' },
      { name: 'gold', emoji: '🥇' },
    ],
    signup_multiplier: 1,
  },
  gifts: {
    id: 'D-17',
    signup_points: 0,
    referral_points: 0,
  },
  credentials: {
    id: 'D-20',
    prefixes: {
      access_token: 'plz_at_',
      refresh_token: 'plz_rt_',
      session_token: 'plz_st_',
      authorization_code: 'plz_ac_',
      client_secret: 'plz_cs_',
    },
  },
  app_tokens: {
    id: 'D-21',
    access_token_seconds: 3600,
    refresh_token_seconds: 2_592_000,
    session_token_seconds: 900,
  },
  token_refresh: {
    id: 'D-26',
    replay_seconds: 30,
  },
  redirect_uris: {
    id: 'D-28',
    redirect_uris_max: 10,
  },
  client_documents: {
    id: 'D-36',
    document_scopes: scopesWhere(({ for_documents }) => for_documents),
    document_bytes_max: 8_192,
    document_seconds: 5,
    failure_kept_seconds: 300,
    fetches_per_person: { requests: 10, seconds: 3_600 },
    fetches_per_host: { requests: 30, seconds: 3_600 },
    fetches_at_once_max: 8,
    pending_max: 200,
  },
  app_sessions: {
    id: 'D-38',
    heartbeat_seconds: 120,
  },
  client_secrets: {
    id: 'D-39',
    secrets_max: 10,
  },
  amounts: {
    id: 'D-45',
    amount_max: 9_007_199_254_740_991,
  },
  point_history: {
    id: 'D-48',
    series_days_max: 366,
  },
  operator_analytics: {
    id: 'D-49',
    window_days: 30,
    window_days_max: 365,
  },
  subdomains: {
    id: 'D-55',
    kept_days: 30,
    reserved: (
      'www api apps admin administrator root console dashboard auth oauth login signin signup register ' +
      'account accounts sso security support help mail smtp imap pop webmail postmaster hostmaster ' +
      'webmaster abuse autodiscover autoconfig wpad ns ns1 ns2 ns3 ns4 dns mx ftp localhost internal status ' +
      'static assets cdn docs registry billing pay plaza router'
    ).split(' '),
  },
  deployment_operations: {
    id: 'D-57',
    wait_seconds: 5,
  },
  deploy_log: {
    id: 'D-58',
    entries_max: 1000,
  },
  images: {
    id: 'D-59',
    image_max: 520,
    name_max: 255,
    shared_namespace: 'shared',
  },
  environment: {
    id: 'D-60',
    keys_max: 50,
    value_bytes_max: 32_768,
    total_bytes_max: 262_144,
    body_bytes_max: 2_097_152,
  },
  custom_domains: {
    id: 'D-61',
    record_label: '_plaza',
    unproved_minutes: 10,
    proved_minutes: 360,
  },
  hosting_charges: {
    id: 'D-62',
    cycle_days: 30,
    early_days: 7,
  },
  deploy_tiers: {
    id: 'D-63',
    slug_max: 64,
  },
  container_output: {
    id: 'D-64',
    tail_default: 100,
    tail_max: 1000,
    text_max: 16_384,
    heartbeat_seconds: 15,
    waiting_bytes_max: 1_048_576,
    streams_max: 8,
    kept_lines_max: 50_000,
    kept_bytes_max: 8_388_608,
    kept_days: 30,
    kept_after_destroy_days: 7,
    window_seconds: 10,
    window_lines_max: 3_000,
    window_bytes_max: 524_288,
    query_max: 200,
  },
  container_engine: {
    id: 'D-65',
    seen_seconds: 30,
  },
  chat_channels: {
    id: 'D-72',
    ref_id_max: 200,
  },
  chat_messages: {
    id: 'D-73',
    body_max: 2000,
    page_max: 100,
    page_default: 50,
  },
  presence: {
    id: 'D-75',
    online_seconds: 90,
    name_max: 200,
    user_ids_max: 200,
  },
  user_search: {
    id: 'D-76',
    query_max: 100,
  },
  learning_content: {
    id: 'D-77',
    name_max: 100,
    path_status: 'selected',
  },
  module_resets: {
    id: 'D-78',
    cooldown_days: 7,
  },
  ad_events: {
    id: 'D-79',
    surface_type_max: 64,
    late_seconds: 3_600,
  },
  event_streams: {
    id: 'D-80',
    channels_max: 50,
    heartbeat_seconds: 15,
    waiting_bytes_max: 1_048_576,
    kept_seconds: 86_400,
    streams_max: 24,
  },
  admin_lists: {
    id: 'D-81',
    amount_days: 30,
    failed_jobs_kept_days: 30,
    figures_kept_days: 400,
  },
  request_bounds: {
    id: 'D-83',
    body_bytes_max: 65_536,
    open_body_bytes_max: 32_768,
    nesting_max: 40,
    values_max: 10_000,
    parameters_max: 32,
    field_errors_max: 20,
  },
  introspection: {
    id: 'D-84',
    reason: 'malformed',
  },
  failed_logins: {
    id: 'D-91',
    failures_max: 10,
    window_seconds: 900,
    failures_per_day: 300,
    day_seconds: 86_400,
    resets_max: 5,
    reset_seconds: 3_600,
  },
  draining: {
    id: 'D-93',
    drain_seconds: 5,
  },
  payment_details: {
    id: 'D-96',
    reference_max: 64,
    metadata_keys_max: 16,
    metadata_key_max: 40,
    metadata_value_max: 500,
  },
  holds: {
    id: 'D-97',
    expires_in_default: 3_600,
    expires_in_max: 604_800,
    expired_every_seconds: 5,
    rounds_max: 500,
  },
  payment_reads: {
    id: 'D-99',
    export_page_rows: 100,
    found_max: 10,
  },
  webhooks: {
    id: 'D-101',
    webhooks_max: 10,
    at_once: 20,
    timeout_seconds: 15,
    answer_bytes_max: 65_536,
    answer_kept_characters: 4_096,
    answer_start_characters: 200,
    retry_seconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    off_after_days: 5,
    rotation_hours: 24,
    kept_days: 30,
  },
  sandbox: {
    id: 'D-102',
    play_points_max: 10_000,
    play_points_per_day: 100_000,
    test_persons_max: 20,
    mails_kept_days: 7,
    test_person_domain: 'sandbox.invalid',
  },
  openid: {
    id: 'D-103',
    id_token_seconds: 3_600,
    rotation_days: 90,
    announced_seconds: 86_400,
    keys_cached_seconds: 3_600,
  },
  deployment_upkeep: {
    id: 'D-104',
    kept_max: 50,
    slot_seconds: 15,
    outage_seconds: 300,
    mails_max: 4,
    day: { step_seconds: 300, points_max: 288 },
    month: { step_seconds: 10_800, points_max: 240 },
  },
  leaving: {
    id: 'D-106',
    name_reserved_days: 30,
    export_limit: { requests: 5, seconds: 3_600 },
    page_rows: 1_000,
    late_seconds: 60,
  },
  account_changes: {
    id: 'D-107',
    undo_days: 7,
    name_reserved_days: 30,
    names_reserved_max: 3,
    sign_in_notices_per_day: 5,
  },
  passkeys: {
    id: 'D-108',
    passkeys_max: 20,
    name_max: 64,
    challenge_seconds: 300,
    options_per_minute: 60,
    copy_mail_seconds: 86_400,
  },
  moderation: {
    id: 'D-109',
    note_max: 1_000,
    removed_text: 'This message was removed by an admin.',
    raw_kept_days: 30,
    mute_days_max: 365,
    open_reports_max: 20,
    doubted_dismissals: 5,
    doubted_days: 30,
    doubted_open_max: 1,
    context_before: 10,
    context_after: 10,
    reports_shown_max: 50,
    pictures_shown_max: 5,
    cases_shown_max: 20,
  },
  admin_support: {
    id: 'D-110',
    digits: 8,
    tries: 5,
    lifetime_seconds: 600,
    found_names_max: 100,
    sessions_max: 200,
  },
  point_streams: {
    id: 'D-111',
    streams_max: 10,
    kept_seconds: 86_400,
  },
  default_registries: {
    id: 'D-113',
    public_host: 'docker.io',
    code_host: 'ghcr.io',
  },
  staff_names: {
    id: 'D-118',
    platform: ['plaza'],
    titles: 'admin admins administrator administrators sysadmin superadmin moderator moderators staff support'.split(
      ' ',
    ),
    words:
      'administration superuser root mod mods help official security abuse postmaster hostmaster webmaster system billing noreply'.split(
        ' ',
      ),
    roles:
      'team crew desk office center centre hq service services account accounts payment payments pay bank wallet points reward rewards refund refunds billing sales legal trust safety fraud care customer customers client tech technical it dev devs developer developers engineer engineers operator operators manager managers agent agents employee employees owner owners founder ceo cto gm gms gamemaster gamemasters rep representative verified verification info news updates alerts notifications bot'.split(
        ' ',
      ),
    fillers: 'the real my our your live online'.split(' '),
  },
  notices: {
    id: 'D-119',
    unread_max: 100,
    kept_days: 90,
    kept_max: 1_000,
    mail_wait_seconds: 300,
    mail_every_seconds: 3_600,
    mailed_max: 20,
    writers_among_messages: 200,
    gather_seconds: 5,
    reading_seconds: 3,
  },
  push: {
    id: 'D-160',
    devices_max: 10,
    push_seconds: 86_400,
  },
  late_bodies: {
    id: 'D-120',
    body_seconds: 10,
  },
  code_tries: {
    id: 'D-121',
    tries: 10,
    window_seconds: 900,
    tries_per_day: 100,
    day_seconds: 86_400,
    mailed_after: 10,
  },
  account_recovery: {
    id: 'D-122',
    recent_days: 7,
  },
  release_outcomes: {
    id: 'D-126',
    release_wait_seconds_max: 60,
    reserved_variables: ['PORT'],
  },
  openid_sign_in: {
    id: 'D-128',
    sign_in_counts_seconds: 1_800,
  },
  proofs: {
    id: 'D-129',
    proved_seconds: 300,
  },
  restricted_secrets: {
    id: 'D-133',
    name_max: 100,
    networks_max: 20,
    told_days: 7,
  },
  end_of_grants: {
    id: 'D-150',
    refresh_token_max_seconds: 15_552_000,
  },
  pushed_requests: {
    id: 'D-151',
    request_seconds: 60,
    opened_seconds: 600,
  },
  dpop: {
    id: 'D-152',
    algorithms: ['ES256', 'EdDSA', 'Ed25519', 'RS256'],
    /** The maximum difference between the `iat` of a proof and the time of the service. */
    clocks_apart_seconds: 60,
    /** A nonce is issued for this time, and accepted for this time again. */
    nonce_seconds: 120,
    proof_bytes_max: 4_096,
  },
  backchannel_logout: {
    id: 'D-155',
    timeout_seconds: 10,
    token_seconds: 120,
  },
  terminals: {
    id: 'D-157',
    code_seconds: 60,
    secret_days: 90,
  },
  agents: {
    id: 'D-156',
    agent_daily_limit: 1_000,
    answered_within_seconds: 600,
    streams_max: 1_000,
  },
  kept_sessions: {
    id: 'D-166',
    idle_seconds: 2_592_000,
    max_seconds: 15_552_000,
    admin_max_seconds: 43_200,
    /** The JWT before a renewal stays valid for this time. */
    overlap_seconds: 30,
  },
  profiles: {
    id: 'D-165',
    display_name_max: 50,
    picture_bytes_max: 2_097_152,
    picture_side_max: 4_096,
    side: 256,
    changes: { requests: 30, seconds: 3600 },
  },
  message_changes: {
    id: 'D-162',
    edit_seconds: 900,
    deleted_text: 'This message was deleted by its sender.',
    unread_max: 100,
    places_max: 500,
  },
  payouts: {
    id: 'D-130',
    payouts_max: 1_000,
    body_bytes_max: 2_097_152,
  },
  income: {
    id: 'D-131',
    held_days_max: 365,
  },
  payout_limits: {
    id: 'D-132',
    hours: 24,
  },
  sending: {
    id: 'D-137',
    send_proof_above: 1_000,
    send_daily_limit: 10_000,
    requests_open_max: 20,
    asked: { requests: 60, seconds: 3600 },
    request_days: 30,
  },
  boards: {
    id: 'D-163',
    first_max: 10,
    neighbours: 2,
    counted_max: 10_000,
  },
  teams: {
    id: 'D-134',
    name_max: 50,
    members_max: 50,
    teams_max: 20,
    invitation_days: 7,
    invitations_per_day: 20,
  },
  reviews: { id: 'D-136', days: 7 },
} as const satisfies Readonly<Record<string, Decided>>
