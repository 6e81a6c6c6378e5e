-- People who left (D-106), by id alone. Until `erased_at`, a job erases what was not deleted at once.
create table departures (
  user_id uuid primary key,
  left_at timestamptz not null,
  erased_at timestamptz
);
create index departures_unfinished on departures (left_at) where erased_at is null;
