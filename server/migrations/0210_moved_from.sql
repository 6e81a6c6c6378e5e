-- The host that a deployment leaves for one with room: what serves runs there until the new release does, and keeps its memory reserved.
alter table deployments add column moved_from text;
create index deployments_moved_from on deployments (moved_from) where moved_from is not null;
