-- Requests for points between friends (D-137): `to_user_id` asks, `from_user_id` pays or declines.
create table point_requests (
  id uuid primary key,
  from_user_id uuid not null,
  to_user_id uuid not null,
  amount bigint not null check (amount > 0),
  description text,
  status text not null default 'open' check (status in ('open', 'paid', 'declined', 'cancelled')),
  transfer_id uuid,
  inserted_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz,
  check ((status = 'open') = (closed_at is null)),
  check ((status = 'paid') = (transfer_id is not null))
);
create index point_requests_from on point_requests (from_user_id, id);
create index point_requests_to on point_requests (to_user_id, id);
