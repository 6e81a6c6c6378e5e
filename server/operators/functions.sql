-- Records the newest `seq` of the ledger, once everything up to the previous record is counted. The order matters: a
-- transfer below `newest` got its transaction id, by locking its accounts, before its `seq`, and so before this
-- transaction's id is assigned. A record from another cluster (a restored copy) is invalid and is replaced.
create or replace function note_app_activity() returns void language plpgsql as $$
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

create or replace function count_app_activity(numbers_max bigint) returns bigint language plpgsql as $$
declare
  progress app_activity_progress;
  upto bigint;
begin
  select * into progress from app_activity_progress for update skip locked;
  if not found or progress.seen_to = progress.counted_to or oldest_transaction() < progress.seen_by then
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

-- Lock order: connections, then apps in id order, so that batches of several processes cannot deadlock.
create or replace function count_app_users() returns trigger language plpgsql as $$
begin
  insert into app_users as a (app_id, total_users)
  select app_id, count(*) from new_connections group by app_id order by app_id
  on conflict (app_id) do update set total_users = a.total_users + excluded.total_users;
  return null;
end $$;

create or replace trigger connections_are_counted after insert on connections
  referencing new table as new_connections for each statement execute function count_app_users();

-- Adds up to `numbers_max` further transfers to the days of apps and of the installation. Only numbers already in the
-- counts of activity: no transfer below them can appear later.
create or replace function count_app_days(numbers_max bigint) returns bigint language plpgsql as $$
declare
  begin_at bigint;
  upto bigint;
begin
  select counted_to into begin_at from app_days_progress for update skip locked;
  if not found then
    return 0;
  end if;
  select least(counted_to, begin_at + numbers_max) into upto from app_activity_progress;
  if upto <= begin_at then
    return 0;
  end if;
  insert into app_days as d (app_id, day, earned, spent, transfers, last_seq, points_after)
  select m.app_id, (m.inserted_at at time zone 'UTC')::date, sum(m.earned), sum(m.spent), count(*), max(m.seq),
         (array_agg(m.points_after order by m.seq desc))[1]
    from (select seq, to_account as app_id, amount as earned, 0 as spent, to_after as points_after, inserted_at
            from transfers where seq > begin_at and seq <= upto
          union all
          select seq, from_account, 0, amount, from_after, inserted_at
            from transfers where seq > begin_at and seq <= upto) m
    join point_accounts a on a.id = m.app_id and a.kind = 'app'
   group by 1, 2
  on conflict (app_id, day) do update
     set earned = d.earned + excluded.earned,
         spent = d.spent + excluded.spent,
         transfers = d.transfers + excluded.transfers,
         last_seq = greatest(d.last_seq, excluded.last_seq),
         points_after = case when excluded.last_seq > d.last_seq then excluded.points_after else d.points_after end;
  insert into daily_figures as d (day, spent)
  select (t.inserted_at at time zone 'UTC')::date, sum(t.amount)
    from transfers t join point_accounts a on a.id = t.to_account and a.kind = 'app'
   where t.seq > begin_at and t.seq <= upto
   group by 1
  on conflict (day) do update set spent = d.spent + excluded.spent;
  update app_days_progress set counted_to = upto;
  return upto - begin_at;
end $$;
