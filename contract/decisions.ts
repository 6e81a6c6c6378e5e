import type { DecisionId } from './decision-texts.ts'

/** The values of a decision. */
export interface Decided {
  readonly value: Readonly<Record<string, unknown>>
}

/** The values of the decisions that have some. Code reads them from here, so that the register stays correct. */
export const decisions = {
  // General
  'D-06': {
    value: {
      login: { requests: 30, seconds: 60 },
      register: { requests: 20, seconds: 3600 },
      verify_email: { requests: 30, seconds: 900 },
      send_verification: { requests: 5, seconds: 900 },
      token: { requests: 600, seconds: 60 },
      token_verify: { requests: 6000, seconds: 60 },
    },
  },
  'D-09': {
    value: { key_max: 255 },
  },
  // Accounts
  'D-11': {
    value: { digits: 6, lifetime_seconds: 900, tries: 5 },
  },
  'D-12': {
    value: { username_min: 3, username_max: 32 },
  },
  'D-13': {
    value: { password_min: 8, password_max: 1024 },
  },
  'D-14': {
    value: {
      digits: 6,
      step_seconds: 30,
      window_steps: 1,
      recovery_codes: 10,
    },
  },
  'D-15': {
    value: { jwt_seconds: 43_200 },
  },
  'D-16': {
    value: {
      tiers: [
        { name: 'bronze', emoji: '🥉' },
        { name: 'silver', emoji: '🥈' },
        { name: 'gold', emoji: '🥇' },
      ],
      signup_multiplier: 1,
    },
  },
  'D-17': {
    value: { signup_points: 0, referral_points: 0 },
  },
  // OAuth
  'D-20': {
    value: {
      prefixes: {
        access_token: 'plz_at_',
        refresh_token: 'plz_rt_',
        session_token: 'plz_st_',
        authorization_code: 'plz_ac_',
        client_secret: 'plz_cs_',
      },
    },
  },
  'D-21': {
    value: { access_token_seconds: 3600, refresh_token_seconds: 2_592_000, session_token_seconds: 900 },
  },
  'D-26': {
    value: { replay_seconds: 30 },
  },
  'D-28': {
    value: { redirect_uris_max: 10 },
  },
  'D-36': {
    value: {
      document_scopes: ['profile:read', 'points:read'],
      document_bytes_max: 8_192,
      document_seconds: 5,
      failure_kept_seconds: 300,
      fetches_per_person: { requests: 10, seconds: 3_600 },
      fetches_per_host: { requests: 30, seconds: 3_600 },
      fetches_at_once_max: 8,
      pending_max: 200,
    },
  },
  'D-38': {
    value: { heartbeat_seconds: 120 },
  },
  'D-39': {
    value: { secrets_max: 10 },
  },
  // Points
  'D-45': {
    value: { amount_max: 9_007_199_254_740_991 },
  },
  'D-48': {
    value: { series_days_max: 366 },
  },
  'D-49': {
    value: { window_days: 30, window_days_max: 365 },
  },
  // Deployments
  'D-55': {
    value: {
      kept_days: 30,
      reserved: (
        'www api apps admin administrator root console dashboard auth oauth login signin signup register ' +
        'account accounts sso security support help mail smtp imap pop webmail postmaster hostmaster ' +
        'webmaster abuse autodiscover autoconfig wpad ns ns1 ns2 ns3 ns4 dns mx ftp localhost internal status ' +
        'static assets cdn docs registry billing pay plaza router'
      ).split(' '),
    },
  },
  'D-57': {
    value: { wait_seconds: 5 },
  },
  'D-58': {
    value: { entries_max: 1000 },
  },
  'D-59': {
    value: { image_max: 520, name_max: 255, shared_namespace: 'shared' },
  },
  'D-60': {
    value: { keys_max: 50, value_bytes_max: 32_768, total_bytes_max: 262_144, body_bytes_max: 2_097_152 },
  },
  'D-61': {
    value: { record_label: '_plaza', unproved_minutes: 10, proved_minutes: 360 },
  },
  'D-62': {
    value: { cycle_days: 30, early_days: 7 },
  },
  'D-63': {
    value: { slug_max: 64 },
  },
  'D-64': {
    value: {
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
  },
  'D-65': {
    value: { seen_seconds: 30 },
  },
  // Social, learning, ads, administration
  'D-72': {
    value: { ref_id_max: 200 },
  },
  'D-73': {
    value: { body_max: 2000, page_max: 100, page_default: 50 },
  },
  'D-75': {
    value: { online_seconds: 90, name_max: 200, user_ids_max: 200 },
  },
  'D-76': {
    value: { query_max: 100 },
  },
  'D-77': {
    value: { name_max: 100, path_status: 'selected' },
  },
  'D-78': {
    value: { cooldown_days: 7 },
  },
  'D-79': {
    value: { surface_type_max: 64, late_seconds: 3_600 },
  },
  'D-80': {
    value: {
      channels_max: 50,
      heartbeat_seconds: 15,
      waiting_bytes_max: 1_048_576,
      kept_seconds: 86_400,
      streams_max: 24,
    },
  },
  'D-81': {
    value: { failed_jobs_kept_days: 30 },
  },
  'D-83': {
    value: {
      body_bytes_max: 65_536,
      open_body_bytes_max: 32_768,
      nesting_max: 40,
      values_max: 10_000,
      parameters_max: 32,
      field_errors_max: 20,
    },
  },
  'D-84': {
    value: { reason: 'malformed' },
  },
  'D-91': {
    value: {
      failures_max: 10,
      window_seconds: 900,
      failures_per_day: 300,
      day_seconds: 86_400,
      resets_max: 5,
      reset_seconds: 3_600,
    },
  },
  'D-93': {
    value: { drain_seconds: 5 },
  },
  // Payments
  'D-96': {
    value: { reference_max: 64, metadata_keys_max: 16, metadata_key_max: 40, metadata_value_max: 500 },
  },
  'D-97': {
    value: { expires_in_default: 3_600, expires_in_max: 604_800, expired_every_seconds: 5, rounds_max: 500 },
  },
  'D-99': {
    value: { export_page_rows: 100, found_max: 10 },
  },
  'D-101': {
    value: {
      webhooks_max: 10,
      at_once: 20,
      timeout_seconds: 15,
      answer_bytes_max: 65_536,
      answer_kept_characters: 4_096,
      retry_seconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
      off_after_days: 5,
      rotation_hours: 24,
      kept_days: 30,
    },
  },
  'D-102': {
    value: {
      play_points_max: 10_000,
      play_points_per_day: 100_000,
      test_persons_max: 20,
      mails_kept_days: 7,
      test_person_domain: 'sandbox.invalid',
    },
  },
  'D-103': {
    value: { id_token_seconds: 3_600, rotation_days: 90, announced_seconds: 86_400, keys_cached_seconds: 3_600 },
  },
  'D-104': {
    value: {
      kept_max: 50,
      slot_seconds: 15,
      outage_seconds: 300,
      mails_max: 4,
      day: { step_seconds: 300, points_max: 288 },
      month: { step_seconds: 10_800, points_max: 240 },
    },
  },
  'D-106': {
    value: {
      name_reserved_days: 30,
      export_limit: { requests: 5, seconds: 3_600 },
      page_rows: 1_000,
      late_seconds: 60,
    },
  },
  'D-107': {
    value: { undo_days: 7, name_reserved_days: 30, names_reserved_max: 3, sign_in_notices_per_day: 5 },
  },
  'D-108': {
    value: {
      passkeys_max: 20,
      name_max: 64,
      challenge_seconds: 300,
      options_per_minute: 60,
      copy_mail_seconds: 86_400,
    },
  },
  'D-109': {
    value: {
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
      cases_shown_max: 20,
    },
  },
  'D-110': {
    value: { digits: 8, tries: 5, lifetime_seconds: 600, found_names_max: 100, sessions_max: 200 },
  },
  'D-111': {
    value: { streams_max: 10, kept_seconds: 86_400 },
  },
  'D-113': {
    value: { public_host: 'docker.io', code_host: 'ghcr.io' },
  },
  'D-121': {
    value: { tries: 10, window_seconds: 900, tries_per_day: 100, day_seconds: 86_400, mailed_after: 10 },
  },
  'D-122': {
    value: { recent_days: 7 },
  },
  'D-118': {
    value: {
      platform: ['plaza'],
      titles: 'admin admins administrator administrators sysadmin superadmin moderator moderators staff support'.split(
        ' ',
      ),
      words:
        'administration superuser root mod mods help helpdesk official security abuse postmaster hostmaster webmaster system billing noreply'.split(
          ' ',
        ),
      fillers: 'the real my our your team desk center centre hq service services account accounts payments bot'.split(
        ' ',
      ),
    },
  },
  'D-119': {
    value: {
      unread_max: 100,
      kept_days: 90,
      kept_max: 1_000,
      mail_wait_seconds: 300,
      mail_every_seconds: 3_600,
      mailed_max: 20,
      writers_among_messages: 200,
      gather_seconds: 5,
    },
  },
  'D-120': {
    value: { body_seconds: 10 },
  },
  'D-128': {
    value: { sign_in_counts_seconds: 1_800 },
  },
  'D-126': {
    value: { release_wait_seconds_max: 60, reserved_variables: ['PORT'] },
  },
  'D-129': {
    value: { proved_seconds: 300 },
  },
} as const satisfies { readonly [Id in DecisionId]?: Decided }
