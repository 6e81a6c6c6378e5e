-- A description is shown with the name, so it is a part of what was approved (D-117). What an app says of itself now counts as approved.
alter table oauth_apps add column approved_description text, drop column changed_since_approval;
update oauth_apps set approved_description = app_description where approved_name is not null;
alter table oauth_apps
  add column changed_since_approval boolean not null generated always as (
    status = 'approved' and approved_name is not null and (
      app_name is distinct from approved_name or app_description is distinct from approved_description
      or logo_url is distinct from approved_logo_url or website_url is distinct from approved_website_url
      or redirect_uris is distinct from approved_redirect_uris)
  ) stored;
create index oauth_apps_changed on oauth_apps (id desc) where changed_since_approval;

-- A hash of what consent shows of an app. It is immutable, although jsonb as text is declared stable: texts do not depend on settings.
create function app_shown(app_name text, app_description text, logo_url text, website_url text, redirect_uris text[])
returns bytea language sql immutable as $$
  select sha256(convert_to(jsonb_build_array(app_name, app_description, logo_url, website_url, to_jsonb(redirect_uris))::text, 'UTF8'))
$$;
alter table oauth_apps
  add column shown bytea not null
    generated always as (app_shown(app_name, app_description, logo_url, website_url, redirect_uris)) stored;

-- What was shown when a person consented; null where it is not known: then consent is asked again.
alter table consents add column shown bytea;
update consents c set shown = a.shown from oauth_apps a where a.id = c.app_id and not a.changed_since_approval and a.app_name = c.app_name;

-- It takes one argument more.
drop function if exists issue_authorization_codes(
  timestamptz, timestamptz, bytea[], uuid[], uuid[], uuid[], text[], text[], text[], integer[], text[], text[], text[], boolean[], text[]
);
