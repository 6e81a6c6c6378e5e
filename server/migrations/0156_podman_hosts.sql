-- Podman is a kind of container host of its own.
alter table container_hosts drop constraint container_hosts_kind_check;
alter table container_hosts add constraint container_hosts_kind_check check (kind in ('docker', 'podman', 'swarm'));
