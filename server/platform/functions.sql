create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- The id of the oldest running transaction of this database: later statements see the results of all earlier ids.
-- pg_snapshot_xmin includes transactions of all databases of the server, so that a long one in another database would delay
-- readers. It is the fallback where this role may not see the sessions of other roles.
create or replace function oldest_transaction() returns xid8 language sql volatile as $$
  with snapshot as materialized (
    select pg_snapshot_xmin(pg_current_snapshot()) as oldest, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next
  ), own as (
    select backend_xid as xid, query = '<insufficient privilege>' as hidden
      from pg_stat_activity where datname = current_database()
    union all
    select transaction, false from pg_prepared_xacts where database = current_database()
  ), bound as (
    -- backend_xid has 32 bits and wraps around. An id assigned after the snapshot has a difference above 2^31 and is ignored.
    select bool_or(own.hidden) as unsure,
           max((s.next - own.xid::text::bigint) & 4294967295)
             filter (where (s.next - own.xid::text::bigint) & 4294967295 < 2147483648) as behind
      from own, snapshot s
  )
  select case when b.unsure then s.oldest else (s.next - coalesce(b.behind, 0))::text::xid8 end from bound b, snapshot s
$$;

-- A cell of CSV (RFC 4180). An apostrophe precedes text that a spreadsheet would run as a formula (D-99), also after a
-- separator or line break in the text, because a spreadsheet with other settings begins a cell there, even before quotes.
create or replace function csv_cell(value text) returns text language sql immutable as $$
  select case
           when value is null then ''
           when value !~ '[-"=+@＝＋－＠,\t\r\n]' then value
           else case when value ~ '[",\r\n]' then '"' else '' end
             || case when value ~ '^[-=+@＝＋－＠\t\r]' then '''' else '' end
             || replace(regexp_replace(value, '([;\t\r\n])("*[-=+@＝＋－＠])', '\1''\2', 'g'), '"', '""')
             || case when value ~ '[",\r\n]' then '"' else '' end
         end
$$;

-- JSON without whitespace.
create or replace function compact_json(value jsonb) returns text language plpgsql immutable as $$
begin
  return case jsonb_typeof(value)
    when 'object' then
      '{' || coalesce((select string_agg(to_jsonb(e.key)::text || ':' || compact_json(e.value), ',') from jsonb_each(value) e), '') || '}'
    when 'array' then
      '[' || coalesce((select string_agg(compact_json(e.value), ',') from jsonb_array_elements(value) e), '') || ']'
    else value::text
  end;
end $$;
