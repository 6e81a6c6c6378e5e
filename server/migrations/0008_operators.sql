-- How many spends and awards each app had in each minute and hour: what analytics add up instead of transfers (D-49).
-- A job fills it from the immutable transfers, so that no spend pays for it. first_seq and last_seq enclose the
-- transfers counted in the row.
create table app_activity (
  app_id uuid not null,
  grain text not null check (grain in ('minute', 'hour')),
  starts_at timestamptz not null,
  spends bigint not null,
  awards bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (app_id, grain, starts_at)
) with (fillfactor = 70);

-- Every transfer up to counted_to is in app_activity and none beyond it. seen_to is how far counting may go once every
-- transaction before seen_by is over: a number is given out before its transfer is committed, so a higher one can be
-- visible earlier.
create table app_activity_progress (
  only_row boolean primary key default true check (only_row),
  counted_to bigint not null default 0,
  seen_to bigint not null default 0,
  seen_by xid8 not null default '0'
);
insert into app_activity_progress default values;

-- For the awards that are not counted yet, or of one minute. Spends need none of their own: their account is the app.
create index transfers_awards_by_seq on transfers (app_id, seq) where kind = 'award' and app_id is not null;

-- Notes how far the ledger has got, if the last such note is used up. The order matters: a transfer below `newest` got its
-- transaction id, by locking its accounts, before its number, and so before our own id is drawn. A note from another
-- cluster (a restored copy) is of no use and is replaced.
create function note_app_activity() returns void language plpgsql as $$
declare
  newest bigint;
  newest_by xid8;
begin
  select coalesce(max(seq), 0) into newest from transfers;
  newest_by := pg_current_xact_id();
  update app_activity_progress
     set seen_to = newest, seen_by = newest_by
   where newest > counted_to
     and (seen_to = counted_to or seen_by >= pg_snapshot_xmax(pg_current_snapshot()));
end $$;

-- Counts up to `numbers_max` further transfers and tells by how many numbers it got on: 0 when nothing is noted, when a
-- transaction that began before the note still runs, or when another process is counting.
create function count_app_activity(numbers_max bigint) returns bigint language plpgsql as $$
declare
  progress app_activity_progress;
  upto bigint;
begin
  select * into progress from app_activity_progress for update skip locked;
  if not found or progress.seen_to = progress.counted_to
     or pg_snapshot_xmin(pg_current_snapshot()) < progress.seen_by then
    return 0;
  end if;
  upto := least(progress.seen_to, progress.counted_to + numbers_max);
  insert into app_activity as a (app_id, grain, starts_at, spends, awards, first_seq, last_seq)
  select case t.kind when 'spend' then t.to_account else t.app_id end,
         g.grain,
         date_bin(g.width, t.inserted_at, timestamptz '2000-01-01 00:00:00Z'),
         count(*) filter (where t.kind = 'spend'),
         count(*) filter (where t.kind = 'award'),
         min(t.seq),
         max(t.seq)
    from transfers t, (values ('minute', interval '1 minute'), ('hour', interval '1 hour')) g(grain, width)
   where t.seq > progress.counted_to and t.seq <= upto
     and (t.kind = 'spend' or (t.kind = 'award' and t.app_id is not null))
   group by 1, 2, 3
  on conflict (app_id, grain, starts_at) do update
     set spends = a.spends + excluded.spends,
         awards = a.awards + excluded.awards,
         first_seq = least(a.first_seq, excluded.first_seq),
         last_seq = greatest(a.last_seq, excluded.last_seq);
  update app_activity_progress set counted_to = upto;
  return upto - progress.counted_to;
end $$;
