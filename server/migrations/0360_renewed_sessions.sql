-- A session of the console (D-166): the hash of the cookie that renews it, how often it was renewed, and when last.
alter table login_sessions
  add column renewal_hash bytea,
  add column renewals integer not null default 0,
  add column renewed_at timestamptz;
