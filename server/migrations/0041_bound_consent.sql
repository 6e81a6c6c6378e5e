-- What a person agreed to, so that it is asked again where any of it is another one (D-86). A connection that was made before
-- does not tell: it is asked once more.
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

-- The registered redirect URI that let a code's own one in: where it is removed the code is void (D-87). Null in codes of a
-- process of before, which last ten minutes.
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
