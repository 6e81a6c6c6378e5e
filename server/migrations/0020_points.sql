-- replaces: 0052_ledger_checks.sql 0060_holds_and_references.sql 0070_app_days.sql 0083_holds_by_seq.sql 0084_point_changes.sql 0121_closed_accounts.sql 0162_arrays_of_batches.sql 0166_transfers_between_people.sql

-- The last check of the books. Before the first one, `checked_at` is null and `since` is when checks began.
create table ledger_check (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null,
  checked_at timestamptz,
  balanced boolean
);
insert into ledger_check (since) values (now());

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
  -- The place in lists: an index by the text of the id made a hold and its capture cost a third more (92 against 57 µs).
  seq bigint generated always as identity,
  check ((status = 'captured') = (captured_amount is not null and transfer_id is not null)),
  check ((status = 'released') = (release_reason is not null)),
  check ((status = 'open') = (settled_at is null))
) with (fillfactor = 80);
create index holds_expiry on holds (expires_at) where status = 'open';
create index holds_open on holds (user_id, app_id) where status = 'open';
create index holds_of_app on holds (app_id, seq desc);
create index holds_of_user on holds (user_id, seq desc);

-- The points that a person lets an app spend in 24 hours (D-100). `limited` is set for people with a limit: others cost no lookup.
alter table point_accounts add column limited boolean not null default false;
create table spending_limits (
  user_id uuid not null,
  app_id uuid not null,
  daily_limit bigint not null check (daily_limit >= 0),
  primary key (user_id, app_id)
);

-- `listened`: events of the app are recorded. The ledger reads this row anyway, so an app without listeners costs nothing.
alter table point_accounts add column listened boolean not null default false;

-- Points that each app earned and returned per day of UTC, for charts (D-99). `count_app_days` fills the table from the ledger,
-- including days before this table existed.
create table app_days (
  app_id uuid not null,
  day date not null,
  earned bigint not null,
  spent bigint not null,
  transfers bigint not null,
  -- The last movement of the day, and the balance after it.
  last_seq bigint not null,
  points_after bigint not null,
  primary key (app_id, day)
);
create table app_days_progress (
  is_only boolean primary key default true check (is_only),
  counted_to bigint not null
);
insert into app_days_progress (counted_to) values (0);

-- Changes for apps that follow a person's points (D-111). They are written only if `point_accounts.listened` of the person is set: an
-- app follows, or did while changes are kept.
create table point_watches (
  user_id uuid primary key,
  since timestamptz not null,
  read_at timestamptz not null
);

-- A change of the person's balance, or where it names one, of a hold. It is written under the lock of the person's account, so the
-- numbers of one person are in the order in which they become visible.
create table point_changes (
  user_id uuid not null,
  seq bigint generated always as identity,
  app_id uuid,
  hold_id uuid,
  inserted_at timestamptz not null,
  primary key (user_id, seq)
);
create index point_changes_age on point_changes (inserted_at);

-- Accounts of people who left, and of their apps (D-106): nothing comes to them any more, and what they had went to the account below.
-- Its id is the lowest: batches lock accounts by descending id, so they lock it last.
alter table point_accounts add column closed boolean not null default false;
insert into point_accounts (id, kind) values ('00000000-0000-7000-8000-000000000000', 'system');

-- An app's list has the transfers that it made between people (D-96). Other transfers are not in this index.
create index transfers_between_people on transfers (app_id, seq) where kind = 'transfer' and app_id is not null;
