create table users (
  id uuid primary key,
  email text not null,
  username text not null,
  password_hash text not null,
  tier text not null,
  signup_multiplier integer not null default 1 check (signup_multiplier >= 1),
  is_admin boolean not null default false,
  email_verified boolean not null default false,
  referral_code text not null,
  referred_by uuid,
  registration_number bigint not null,
  suspended_at timestamptz,
  inserted_at timestamptz not null,
  -- two-factor authentication: secrets are encrypted under a key that is not in the database
  totp_pending_secret bytea,
  totp_secret bytea,
  totp_last_step bigint,
  totp_tries integer not null default 0,
  totp_tries_reset_at timestamptz
);
create unique index users_email on users (lower(email) text_pattern_ops);
create unique index users_username on users (lower(username) text_pattern_ops);
create unique index users_referral_code on users (referral_code);
create unique index users_registration_number on users (registration_number);
create index users_referred_by on users (referred_by) where referred_by is not null;
create index users_admins on users (id) where is_admin;

-- A row instead of a sequence: a refused registration must not use a number up (D-16).
create table registration_counter (
  only_row boolean primary key default true check (only_row),
  registrations bigint not null
);
insert into registration_counter (registrations) values (0);

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- One mailed code per user and purpose: a new one replaces the old (D-11).
create table mailed_codes (
  user_id uuid not null,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  code_hash bytea not null,
  tries_left integer not null,
  expires_at timestamptz not null,
  primary key (user_id, purpose)
);
create index mailed_codes_reset on mailed_codes (code_hash) where purpose = 'reset_password';
create index mailed_codes_expiry on mailed_codes (expires_at);

create table login_sessions (
  id uuid primary key,
  user_id uuid not null,
  user_agent text,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index login_sessions_user on login_sessions (user_id, inserted_at desc);
create index login_sessions_expiry on login_sessions (expires_at);

create table rate_limits (
  key text primary key,
  count integer not null,
  resets_at timestamptz not null
) with (fillfactor = 70);
create index rate_limits_expiry on rate_limits (resets_at);

create table audit_log (
  id uuid primary key,
  actor_id uuid,
  action text not null,
  target_id uuid,
  details jsonb not null,
  inserted_at timestamptz not null
);
create index audit_log_actor on audit_log (actor_id, id desc);
create index audit_log_action on audit_log (action, id desc);
create index audit_log_target on audit_log (target_id, id desc);
