-- Admins find apps and deployments by the beginning of a name (D-81).
create index oauth_apps_found on oauth_apps (lower(app_name) text_pattern_ops);
create index deployments_found on deployments (subdomain text_pattern_ops);
