-- What apps that follow a person's points are told (D-111). `point_accounts.listened` of the person says whether any app does, or
-- did within the time that changes are kept: nothing is written for others.
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
