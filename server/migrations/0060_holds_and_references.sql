-- Points that are held for apps (D-97): earned and not yet spent, but not available.
alter table point_accounts add column held bigint not null default 0;
-- Every row holds 0 and its debits are covered (0002), so the check needs no scan.
alter table point_accounts add constraint point_accounts_held_is_covered
  check (kind = 'system' or (held >= 0 and credited - debited >= held)) not valid;

-- The app's own reference and metadata (D-96), the hold that a spend captured (D-97), the spend that a refund returns (D-98).
alter table transfers add column reference text, add column metadata jsonb, add column hold_id uuid, add column refunded_id uuid;
create unique index transfers_id on transfers (id);
create index transfers_refunds on transfers (refunded_id) where refunded_id is not null;
create index transfers_reference on transfers (app_id, reference, seq desc) where reference is not null;

create table holds (
  id uuid primary key,
  user_id uuid not null,
  app_id uuid not null,
  amount bigint not null check (amount > 0),
  status text not null default 'open' check (status in ('open', 'captured', 'released')),
  captured_amount bigint check (captured_amount > 0 and captured_amount <= amount),
  release_reason text check (release_reason in ('voided', 'expired', 'disconnected', 'approval_withdrawn')),
  transfer_id uuid,
  reference text,
  metadata jsonb,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  settled_at timestamptz,
  check ((status = 'captured') = (captured_amount is not null and transfer_id is not null)),
  check ((status = 'released') = (release_reason is not null)),
  check ((status = 'open') = (settled_at is null))
) with (fillfactor = 80);
create index holds_expiry on holds (expires_at) where status = 'open';
create index holds_open on holds (user_id, app_id) where status = 'open';
-- By the text of the id: an index with the id itself could be chosen to look up an id, which then reads all of it. PostgreSQL 18 does
-- so while the table is small: 4 ms for a batch among 20,000 holds.
create index holds_of_app on holds (app_id, (id::text collate "C") desc);
create index holds_of_user on holds (user_id, (id::text collate "C") desc);

-- What a person lets an app spend in 24 hours (D-100). `limited` says whether the person has set any, so that others cost no lookup.
alter table point_accounts add column limited boolean not null default false;
create table spending_limits (
  user_id uuid not null,
  app_id uuid not null,
  daily_limit bigint not null check (daily_limit >= 0),
  primary key (user_id, app_id)
);
