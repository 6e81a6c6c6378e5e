-- What of an app was approved, so that a change afterwards is seen (D-110). The trigger `remember_approved_app` keeps it. What is
-- approved now counts as approved as it is.
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
