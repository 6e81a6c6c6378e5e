-- The path whose answer decides whether an instance is healthy; null where the open port decides.
alter table deployments add column health_path text;
alter table deploy_releases add column health_path text;
