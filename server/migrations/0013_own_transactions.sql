-- A place before which every transaction of this database is over: a statement that begins later sees all of theirs.
-- The snapshot's own bound counts transactions of every database of the server, so that a long one elsewhere would hold up
-- what waits for it. Where sessions of other roles are hidden, it cannot be told what they do, and that bound it is.
create function oldest_transaction() returns xid8 language sql volatile as $$
  with snapshot as materialized (
    select pg_snapshot_xmin(pg_current_snapshot()) as oldest, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next
  ), own as (
    select backend_xid as xid, query = '<insufficient privilege>' as hidden
      from pg_stat_activity where datname = current_database()
    union all
    select transaction, false from pg_prepared_xacts where database = current_database()
  ), bound as (
    -- Numbers of transactions are 32 bits wide here. One that began after the snapshot is nearly a whole round behind.
    select bool_or(own.hidden) as unsure,
           max((s.next - own.xid::text::bigint) & 4294967295)
             filter (where (s.next - own.xid::text::bigint) & 4294967295 < 2147483648) as behind
      from own, snapshot s
  )
  select case when b.unsure then s.oldest else (s.next - coalesce(b.behind, 0))::text::xid8 end from bound b, snapshot s
$$;

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
