-- Authorization requests that apps send beforehand (D-151), by the hash of their `request_uri`.
create table pushed_requests (
  uri_hash bytea primary key,
  app_id uuid not null references oauth_apps (id) on delete cascade,
  parameters jsonb not null,
  opened_at timestamptz,
  expires_at timestamptz not null
);
create index pushed_requests_expiry on pushed_requests (expires_at);
create index pushed_requests_app on pushed_requests (app_id);
alter table oauth_apps add column require_par boolean not null default false;
