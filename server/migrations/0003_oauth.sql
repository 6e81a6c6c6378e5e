create table oauth_apps (
  id uuid primary key,
  client_id text not null unique,
  owner_id uuid not null,
  app_name text not null,
  app_description text,
  logo_url text,
  website_url text,
  redirect_uris text[] not null,
  allowed_scopes text[] not null,
  require_pkce boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  is_approved boolean not null generated always as (status = 'approved') stored,
  decision_reason text,
  listed boolean not null default false,
  -- Codes and grants carry the epoch they were made in and are void in another: withdrawing an approval ends them all
  -- in one write, for good (D-40).
  approval_epoch integer not null default 0,
  inserted_at timestamptz not null,
  updated_at timestamptz not null
);
create index oauth_apps_owner on oauth_apps (owner_id, id desc);
create index oauth_apps_status on oauth_apps (status, id desc);
create index oauth_apps_directory on oauth_apps (inserted_at desc, id desc) where listed and status = 'approved';

create table app_secrets (
  id uuid primary key,
  app_id uuid not null references oauth_apps on delete cascade,
  secret_hash bytea not null,
  hint text not null,
  inserted_at timestamptz not null,
  last_used_at timestamptz
);
create index app_secrets_app on app_secrets (app_id);

create table scope_requests (
  id uuid primary key,
  app_id uuid not null references oauth_apps on delete cascade,
  requested_scopes text[] not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied')),
  decision_reason text,
  decided_by uuid,
  decided_at timestamptz,
  inserted_at timestamptz not null
);
create index scope_requests_app on scope_requests (app_id, id desc);
create index scope_requests_status on scope_requests (status, id desc);

-- A user's authorization of an app. The row stays after a disconnect: analytics count users ever connected (D-49).
create table connections (
  user_id uuid not null,
  app_id uuid not null,
  scopes text[] not null,
  connected_at timestamptz not null,
  last_used_at timestamptz,
  disconnected_at timestamptz,
  primary key (user_id, app_id)
);
create index connections_app on connections (app_id);

-- One per redeemed code: the family of its tokens and its session live and die with it.
create table grants (
  id uuid primary key,
  user_id uuid not null,
  app_id uuid not null,
  scopes text[] not null,
  approval_epoch integer not null,
  inserted_at timestamptz not null,
  revoked_at timestamptz
);
create index grants_live on grants (user_id, app_id) where revoked_at is null;

create table authorization_codes (
  code_hash bytea primary key,
  user_id uuid not null,
  app_id uuid not null,
  scopes text[] not null,
  redirect_uri text not null,
  code_challenge text not null,
  approval_epoch integer not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  failed_tries integer not null default 0,
  used_at timestamptz,
  grant_id uuid
);
create index authorization_codes_user on authorization_codes (user_id, app_id) where used_at is null;
create index authorization_codes_expiry on authorization_codes (expires_at);

create table access_tokens (
  token_hash bytea primary key,
  grant_id uuid not null,
  user_id uuid not null,
  app_id uuid not null,
  scopes text[] not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index access_tokens_expiry on access_tokens (expires_at);

create table refresh_tokens (
  token_hash bytea primary key,
  grant_id uuid not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The pair that replaced this token, readable only with the token itself, for a short while (D-26).
  sealed_successor bytea
);
create index refresh_tokens_grant on refresh_tokens (grant_id);
create index refresh_tokens_expiry on refresh_tokens (expires_at);
create index refresh_tokens_sealed on refresh_tokens (used_at) where sealed_successor is not null;

create table app_sessions (
  id uuid primary key,
  grant_id uuid not null unique,
  user_id uuid not null,
  app_id uuid not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  last_heartbeat_at timestamptz not null,
  ended_at timestamptz
);

create table session_tokens (
  token_hash bytea primary key,
  session_id uuid not null references app_sessions on delete cascade,
  expires_at timestamptz not null
);
create index session_tokens_session on session_tokens (session_id);
create index session_tokens_expiry on session_tokens (expires_at);
