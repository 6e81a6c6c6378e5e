create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- A place before which every transaction of this database is over: a statement that begins later sees all of theirs.
-- The snapshot's own bound counts transactions of every database of the server, so that a long one elsewhere would hold up
-- what waits for it. Where sessions of other roles are hidden, it cannot be told what they do, and that bound it is.
create or replace function oldest_transaction() returns xid8 language sql volatile as $$
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
