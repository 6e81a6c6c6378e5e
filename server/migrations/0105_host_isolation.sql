-- What a probe last reached from a container on each machine of a container host that no app may reach; `trusted`: nothing is tried there (ISOLATION). `node` is empty where the
-- host is one machine. `found` is for admins: a list of {what, address, port, answer}.
create table host_isolation (
  host text not null,
  node text not null default '',
  state text not null check (state in ('isolated', 'reachable', 'unchecked', 'trusted')),
  found jsonb not null default '[]',
  -- Why it could not be tried.
  reason text,
  checked_at timestamptz not null default now(),
  primary key (host, node)
);

-- When a host is probed next: one worker at a time does it.
create table host_probes (
  host text primary key,
  due_at timestamptz not null
);
