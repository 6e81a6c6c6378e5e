-- Who was told to be online and not yet to be offline: what a lapse is found by. It changes when somebody comes or goes, not
-- with every beat, and is as small as the number of people who are here.
create table announced_presence (
  user_id uuid primary key
);
insert into announced_presence (user_id) select user_id from presence where last_seen > now() - interval '90 seconds';

-- Writes where users are or that they left, each named once, and tells of what others see change by it. A repetition that
-- changes nothing is not told. One writer at a time, of whatever process, by an advisory lock, which unlike a row lock gives
-- the transaction no id: it gets its id only when it holds the lock, so that events stand in the order of the changes.
create or replace function move_presence(
  moment timestamptz, online_since timestamptz, user_ids uuid[], games text[], lobbies text[], leave boolean[]
) returns void
language plpgsql set enable_seqscan = off as $$
declare
  changes bigint;
begin
  perform pg_advisory_xact_lock(7205461340);

  with told as (
    insert into events (kind, actor_id, payload, inserted_at)
    select 'presence', m.user_id,
           jsonb_build_object(
             'status', case when m.leaves then 'offline' else 'online' end,
             'last_seen', to_char((case when m.leaves then p.last_seen else moment end) at time zone 'UTC',
                                  'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'current_game', case when not m.leaves then m.game end,
             'lobby', case when not m.leaves then m.lobby end),
           moment
      from unnest(user_ids, games, lobbies, leave) with ordinality m(user_id, game, lobby, leaves, at)
      left join presence p on p.user_id = m.user_id
      left join announced_presence a on a.user_id = m.user_id
     where case when m.leaves then a.user_id is not null
                else a.user_id is null or p.last_seen <= online_since
                     or (p.current_game, p.lobby) is distinct from (m.game, m.lobby) end
     order by m.at
    returning actor_id, payload ->> 'status' = 'online' as online
  ), gone as (
    delete from announced_presence a using told where not told.online and a.user_id = told.actor_id
  ), come as (
    insert into announced_presence (user_id) select actor_id from told where online on conflict do nothing
  )
  select count(*) into changes from told;
  if changes > 0 then perform pg_notify('plaza_events', ''); end if;

  delete from presence p
   using unnest(user_ids, leave) m(user_id, leaves)
   where m.leaves and p.user_id = m.user_id;

  insert into presence (user_id, last_seen, current_game, lobby)
  select m.user_id, moment, m.game, m.lobby
    from unnest(user_ids, games, lobbies, leave) with ordinality m(user_id, game, lobby, leaves, at)
   where not m.leaves
   order by m.at
  on conflict (user_id) do update
     set last_seen = greatest(presence.last_seen, excluded.last_seen), current_game = excluded.current_game,
         lobby = excluded.lobby;
end $$;

-- Tells of up to `rows_max` people who were told to be online and were not seen since, and answers how many they were.
create function tell_lapsed_presence(moment timestamptz, online_since timestamptz, rows_max bigint) returns bigint
language plpgsql as $$
declare
  lapses bigint;
begin
  perform pg_advisory_xact_lock(7205461340);

  with lapsed as (
    select p.user_id, p.last_seen
      from announced_presence a join presence p on p.user_id = a.user_id
     where p.last_seen <= online_since
     limit rows_max
  ), gone as (
    delete from announced_presence a using lapsed where a.user_id = lapsed.user_id
  ), told as (
    insert into events (kind, actor_id, payload, inserted_at)
    select 'presence', user_id,
           jsonb_build_object(
             'status', 'offline',
             'last_seen', to_char(last_seen at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'current_game', null,
             'lobby', null),
           moment
      from lapsed
    returning 1
  )
  select count(*) into lapses from told;
  if lapses > 0 then perform pg_notify('plaza_events', ''); end if;
  return lapses;
end $$;
