-- Acts of admins that wait for a second person (D-136). A row that is open after `expires_at` is void.
create table reviews (
  id uuid primary key,
  kind text not null check (kind in ('award', 'payout_limit')),
  user_id uuid,
  app_id uuid,
  amount bigint,
  description text,
  reason text,
  -- The transfer that an award makes; its idempotency key names it before there is one.
  transfer_id uuid unique,
  asked_by uuid not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  status text not null default 'open' check (status in ('open', 'approved', 'rejected')),
  decided_by uuid check (decided_by <> asked_by),
  decided_at timestamptz,
  decision_reason text
);
create index reviews_open on reviews (expires_at) where status = 'open';
