-- The releases that do not serve yet, or failed to: what a host has reserved counts their limits beside those of what serves.
create index deploy_releases_coming on deploy_releases (deployment_id) where is_target and status in ('pending', 'failed');
