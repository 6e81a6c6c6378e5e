-- A grant ends some time after this, however often its refresh token is renewed (D-150). Grants that exist count from the upgrade.
alter table grants add column consented_at timestamptz not null default now();
