-- replaces: 0041_bound_consent.sql 0046_app_reviews.sql 0080_openid.sql 0141_approved_apps.sql

-- The consents of people: an app whose data differ from these asks again (D-86). Connections from before this table ask once more.
create table consents (
  user_id uuid not null,
  app_id uuid not null,
  redirect_origin text not null,
  scopes text[] not null,
  app_name text not null,
  approval_epoch integer not null,
  inserted_at timestamptz not null,
  primary key (user_id, app_id, redirect_origin, scopes)
);

-- The registered redirect URI that admitted the code's own: its removal voids the code (D-87). Null in codes of version 0.1.
alter table authorization_codes add column registered_uri text;

-- An app whose owner is suspended is as one whose approval was withdrawn, until the owner is back (D-88).
drop index oauth_apps_directory;
alter table oauth_apps
  add column owner_suspended boolean not null default false,
  drop column is_approved;
alter table oauth_apps
  add column is_approved boolean not null generated always as (status = 'approved' and not owner_suspended) stored;
create index oauth_apps_directory on oauth_apps (inserted_at desc, id desc) where listed and is_approved;
update oauth_apps a set owner_suspended = true, approval_epoch = approval_epoch + 1
  from users u where u.id = a.owner_id and u.suspended_at is not null;

drop function issue_codes(timestamptz, timestamptz, bytea[], uuid[], uuid[], uuid[], text[], text[], text[], integer[]);

-- An owner sees when an app was decided on and why, and may submit a rejected one again. Both are null for decisions of version 0.1;
-- the reason of the last decision stays while a resubmitted app is pending.
alter table oauth_apps add column decided_at timestamptz, add column resubmitted_at timestamptz;

-- OpenID Connect (D-103).

-- Codes and grants that give identity tokens, and when the person signed in.
create table openid_codes (
  code_hash bytea primary key,
  auth_time timestamptz not null,
  nonce text,
  expires_at timestamptz not null
);
create index openid_codes_expiry on openid_codes (expires_at);
create table openid_grants (
  grant_id uuid primary key,
  auth_time timestamptz not null
);

-- The keys of identity tokens, the private part sealed. A key signs from `signs_from` until the next one does. It stays
-- published until `published_until`, which is set when its successor is made, and is deleted then.
create table signing_keys (
  id uuid primary key,
  public_jwk jsonb not null,
  sealed bytea not null,
  inserted_at timestamptz not null,
  signs_from timestamptz not null,
  published_until timestamptz
);
-- At most one key without a successor.
create unique index signing_keys_newest on signing_keys ((published_until is null)) where published_until is null;

-- The approved fields of an app, which show later changes (D-110). The trigger `remember_approved_app` writes them. Apps that are
-- approved now are approved with their current fields.
alter table oauth_apps
  add column approved_name text,
  add column approved_logo_url text,
  add column approved_website_url text,
  add column approved_redirect_uris text[];
update oauth_apps
   set approved_name = app_name, approved_logo_url = logo_url, approved_website_url = website_url,
       approved_redirect_uris = redirect_uris
 where status = 'approved';
alter table oauth_apps
  add column changed_since_approval boolean not null generated always as (
    status = 'approved' and approved_name is not null and (
      app_name is distinct from approved_name or logo_url is distinct from approved_logo_url
      or website_url is distinct from approved_website_url or redirect_uris is distinct from approved_redirect_uris)
  ) stored;
create index oauth_apps_changed on oauth_apps (id desc) where changed_since_approval;

-- The audit log is searched by the names of what its entries are about.
create index oauth_apps_name on oauth_apps (lower(app_name));

-- Admins find apps by the beginning of a name (D-81).
create index oauth_apps_found on oauth_apps (lower(app_name) text_pattern_ops);
