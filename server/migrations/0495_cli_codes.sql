-- Codes that `plaza login` exchanges for a client secret (D-157), by their hash.
create table cli_codes (
  code_hash bytea primary key,
  app_id uuid not null references oauth_apps (id) on delete cascade,
  user_id uuid not null,
  session_id uuid not null,
  code_challenge text not null,
  name text not null,
  expires_at timestamptz not null
);
create index cli_codes_expiry on cli_codes (expires_at);
create index cli_codes_app on cli_codes (app_id);
create index cli_codes_user on cli_codes (user_id);
