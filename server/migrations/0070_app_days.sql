-- What each app earned and returned on each day of UTC, for charts (D-99). `count_app_days` fills them from the ledger, also
-- for the time before this table.
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

-- The deliveries that tell of a movement.
create index webhook_deliveries_transfer on webhook_deliveries ((data ->> 'transfer_id'));
