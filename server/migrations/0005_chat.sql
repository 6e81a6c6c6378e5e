create table channels (
  id uuid primary key,
  type text not null check (type in ('lobby', 'table')),
  ref_id text check (ref_id <> ''),
  inserted_at timestamptz not null,
  check (type <> 'table' or ref_id is not null)
);
-- Type and ref_id are the channel (D-72), and no ref_id is one value like any other.
create unique index channels_identity on channels (type, coalesce(ref_id, ''));

create table messages (
  id uuid primary key,
  channel_id uuid not null,
  sent_at timestamptz(3) not null,
  sender_id uuid not null,
  -- what was typed: for moderation alone (D-74)
  body text not null,
  filtered_body text not null
);
-- The page of a channel, and the promise that its times are all different (D-73).
create unique index messages_page on messages (channel_id, sent_at desc);

-- What readers of the event stream are told (D-80): mostly where to look, seldom the thing itself.
-- The place of an event is (xid, seq). A reader takes only rows whose xid is below the oldest transaction still under
-- way: nothing can be inserted before a place that was read, in whichever order transactions commit.
create table events (
  seq bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  kind text not null check (kind in ('message', 'friendship', 'presence')),
  -- whom it is for: all who watch a channel, or one user; an event of presence is for the actor's friends
  channel_id uuid,
  user_id uuid,
  -- who sent, changed or is present
  actor_id uuid not null,
  payload jsonb not null,
  inserted_at timestamptz not null,
  primary key (xid, seq)
);
create index events_of_channel on events (channel_id, xid, seq) where channel_id is not null;
create index events_of_user on events (user_id, xid, seq) where user_id is not null;
create index events_of_presence on events (actor_id, xid, seq) where kind = 'presence';

-- The last place that was cleared away: who stopped reading before it has missed something.
create table events_cleared (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null,
  seq bigint not null
);
insert into events_cleared (xid, seq) values ('0', 0);

-- Posts a batch of messages in order, in one transaction, and tells for each when it was sent; null where there is no
-- such channel. Every message of a channel is later than the one before it, by a millisecond at least.
-- Channels are locked in one order, so batches of several processes cannot deadlock; and by advisory locks, which
-- unlike row locks give the transaction no id: it gets its id only when it holds them all, so that the events of a
-- channel stand in the order of their messages.
create function post_messages(
  moment timestamptz, ids uuid[], channel_ids uuid[], sender_ids uuid[], bodies text[], filtered_bodies text[]
) returns table (sent_at timestamptz, sender_username text)
-- The last time of a channel is one step in its index. Planned while the table was small or its statistics old, it would
-- be a scan of all messages for every batch (measured: 900 posts a second, and falling).
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  tick constant interval := interval '1 millisecond';
  now_ms constant timestamptz := date_trunc('milliseconds', moment);
  times timestamptz[];
begin
  perform pg_advisory_xact_lock(locks.key)
     from (select distinct hashtextextended(id::text, 7205461339) as key from unnest(channel_ids) id order by key) locks;

  select array_agg(case when last.id is not null
                        then greatest(now_ms, last.sent_at + tick) + tick * (b.nth - 1) end order by b.at)
    into times
    from (select id, at, row_number() over (partition by id order by at) as nth
            from unnest(channel_ids) with ordinality given(id, at)) b
    left join (
      select c.id, (select m.sent_at from messages m where m.channel_id = c.id order by m.sent_at desc limit 1) as sent_at
        from channels c
       where c.id = any(channel_ids)
    ) last on last.id = b.id;

  insert into messages (id, channel_id, sent_at, sender_id, body, filtered_body)
  select b.id, b.channel_id, b.sent_at, b.sender_id, b.body, b.filtered_body
    from unnest(ids, channel_ids, times, sender_ids, bodies, filtered_bodies)
         b(id, channel_id, sent_at, sender_id, body, filtered_body)
   where b.sent_at is not null;

  insert into events (kind, channel_id, actor_id, payload, inserted_at)
  select 'message', b.channel_id, b.sender_id, jsonb_build_object('message_id', b.id), moment
    from unnest(ids, channel_ids, times, sender_ids) with ordinality b(id, channel_id, sent_at, sender_id, at)
   where b.sent_at is not null
   order by b.at;
  perform pg_notify('plaza_events', '');

  return query
  select b.sent_at, u.username
    from unnest(times, sender_ids) with ordinality b(sent_at, sender_id, at) left join users u on u.id = b.sender_id
   order by b.at;
end $$;

-- Writes where users are or that they left, each named once and in id order, so that processes which write the same users
-- cannot deadlock; and tells of what others see change by it. A repetition that changes nothing is not told.
create function move_presence(
  moment timestamptz, online_since timestamptz, user_ids uuid[], games text[], lobbies text[], leave boolean[]
) returns void
language plpgsql set enable_seqscan = off as $$
begin
  perform 1 from presence where user_id = any(user_ids) order by user_id for update;

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
    left join presence p on p.user_id = m.user_id and p.last_seen > online_since
   where case when m.leaves then p.user_id is not null
              else p.user_id is null or (p.current_game, p.lobby) is distinct from (m.game, m.lobby) end
   order by m.at;
  if found then perform pg_notify('plaza_events', ''); end if;

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
