-- When a worker last had the host in its settings, whether or not the host answered then: one that is configured nowhere
-- any more is given up, one that is only out of reach is not.
alter table container_hosts add column asked_at timestamptz not null default now();
