-- Sign-ins of people at apps by OpenID Connect (D-155): the `sid` of their identity tokens, by session of sign-in and app. A row ends when the
-- app is sent a logout token, so that there is one for each.
create table openid_sessions (
  session_id uuid not null references login_sessions (id) on delete cascade,
  app_id uuid not null,
  user_id uuid not null,
  sid uuid not null default gen_random_uuid(),
  primary key (session_id, app_id)
);
create index openid_sessions_connection on openid_sessions (user_id, app_id);

-- Null in codes and grants of older versions.
alter table openid_codes add column sid uuid;
create index openid_codes_sid on openid_codes (sid);
alter table openid_grants add column sid uuid;

alter table oauth_apps add column backchannel_logout_uri text;

-- The address for logout tokens is a webhook without a secret and without events.
alter table webhooks add column purpose text not null default 'events' check (purpose in ('events', 'logout'));
create unique index webhooks_for_logout on webhooks (app_id) where purpose = 'logout' and deleted_at is null;
