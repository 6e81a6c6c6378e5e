-- Each friend of each person.
create or replace view friends as
select low_id as user_id, high_id as friend_id from friendships where status = 'accepted'
union all
select high_id, low_id from friendships where status = 'accepted';

-- People with a place on the board of their learning path (D-163).
create or replace view board_places as
select l.user_id, l.path, l.is_listed, u.username, u.display_name, l.steps_completed as steps, l.reached_at
  from learners l join users u on u.id = l.user_id
 where l.steps_completed > 0 and u.suspended_at is null;

-- The reactions to a message whose text is not removed: in public channels without those of people whom the reader has blocked (D-71).
create or replace function reactions_seen_by(p_reader_id uuid, p_message_id uuid, p_channel_id uuid) returns jsonb stable language sql as $$
select coalesce((select jsonb_agg(jsonb_build_object('name', one.name, 'count', one.count) order by one.first_at, one.name)
                   from (select x.name, count(*) as count, min(x.inserted_at) as first_at
                           from message_reactions x
                          where x.message_id = p_message_id
                            and not exists (select from removed_messages d where d.message_id = x.message_id)
                            and not exists (select from blocks b join channels c on c.id = p_channel_id and c.type <> 'direct'
                                             where b.blocker_id = p_reader_id and b.blocked_id = x.user_id)
                          group by x.name) one), '[]')
$$;

-- Messages as people may read them: with edits and reactions, and without removed texts.
create or replace view shown_messages as
select m.id, m.channel_id, m.sender_id, u.username as sender_username,
       case when r.message_id is null then coalesce(e.filtered_body, m.filtered_body) end as filtered_body, m.sent_at,
       r.message_id is not null as removed,
       case when r.by_sender then 'sender' when r.message_id is not null then 'admin' end as removed_by,
       case when r.message_id is null then e.edited_at end as edited_at,
       reactions_seen_by(null, m.id, m.channel_id) as reactions,
       u.display_name as sender_display_name, u.picture_url as sender_picture_url
  from messages m
  left join users u on u.id = m.sender_id
  left join message_edits e on e.message_id = m.id
  left join removed_messages r on r.message_id = m.id;

-- Reports with their subjects.
create or replace view shown_reports as
select r.id, r.case_id, r.reporter_id, r.part, coalesce(r.part, case when c.message_id is null then 'person' else 'message' end) as kind,
       r.reported_text, r.reason, r.note, r.doubted, r.inserted_at
  from reports r join moderation_cases c on c.id = r.case_id;

-- Channels that people may write to now: a direct one only while the two are friends.
create or replace view open_channels as
select c.id, c.low_id, c.high_id
  from channels c
 where c.type <> 'direct'
    or exists (select from friendships f
                where f.low_id = c.low_id and f.high_id = c.high_id and f.status = 'accepted');

-- The events of a message: one for the readers of its channel, or one for each of the two people in a direct
-- conversation.
create or replace function message_targets(channel_id uuid, channel_type text, low_id uuid, high_id uuid)
returns table (event_channel_id uuid, user_id uuid, payload jsonb)
language sql immutable as $$
  select channel_id, null::uuid, '{}'::jsonb where channel_type <> 'direct'
  union all
  select null, member.id, jsonb_build_object('with_id', member.other_id)
    from (values (low_id, high_id), (high_id, low_id)) member(id, other_id)
   where channel_type = 'direct'
$$;

-- Posts a batch of messages in order, in one transaction, and returns the outcome of each: posted, replayed (with the
-- earlier message that has its key), key_reused, unknown_channel, not_friends (D-161) or muted (with the end of the
-- sender's mute, D-109). `sent_at` is null if nothing was posted, now or earlier. Every message of a channel is later
-- than the one before it, by at least a millisecond. Lock order: channels and keys by one number, so batches of several
-- processes cannot deadlock. Unlike row locks, advisory locks give the transaction no id: it gets its id when it holds
-- them all, so the events of a channel are in the order of their messages. Processes without moderation call it without
-- the last argument; outcomes that they do not know are returned as unknown_channel.
create or replace function post_messages(
  moment timestamptz, ids uuid[], channel_ids uuid[], sender_ids uuid[], bodies text[], filtered_bodies text[],
  keys text[] default null, request_hashes bytea[] default null, knows_mutes boolean default false
) returns table (
  outcome text, message_id uuid, filtered_body text, sent_at timestamptz, sender_username text, removed boolean,
  muted_until timestamptz
)
-- Finding the last time of a channel takes one step in its index. A plan made while the table was small or its
-- statistics old scans all messages for every batch (measured: 900 posts a second, and falling).
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  tick constant interval := interval '1 millisecond';
  now_ms constant timestamptz := date_trunc('milliseconds', moment);
  times timestamptz[];
  outcomes text[];
  has_direct boolean;
  -- The message that each call returns: its own, or the earlier one with its key.
  answers uuid[] := ids;
  is_keyed constant boolean := coalesce(array_length(array_remove(keys, null), 1), 0) > 0;
begin
  perform pg_advisory_xact_lock(locks.key)
     from (select hashtextextended(id::text, 7205461339) as key from unnest(channel_ids) id
           union
           select hashtextextended(k.sender_id::text || ' ' || k.key, 7205461341)
             from unnest(sender_ids, keys) k(sender_id, key) where k.key is not null
            order by key) locks;

  select array_agg(case when c.id is null then 'unknown_channel'
                        when c.type = 'direct' and not exists (select from open_channels o where o.id = c.id) then 'not_friends'
                        when m.user_id is null then 'posted'
                        when knows_mutes then 'muted' else 'unknown_channel' end order by b.at),
         coalesce(bool_or(c.type = 'direct'), false)
    into outcomes, has_direct
    from unnest(channel_ids, sender_ids) with ordinality b(id, sender_id, at)
    left join channels c on c.id = b.id and (c.type <> 'direct' or b.sender_id in (c.low_id, c.high_id))
    left join chat_mutes m on m.user_id = b.sender_id and m.muted_until > moment;

  if is_keyed then
    -- A key belongs to an earlier message, or otherwise to the first of this batch that can be posted.
    with keyed as (
      select b.*, first_value(b.at) over same_key as holder_at, first_value(b.id) over same_key as holder_id,
             first_value(b.request_hash) over same_key as holder_hash
        from unnest(ids, sender_ids, keys, request_hashes, outcomes)
             with ordinality b(id, sender_id, key, request_hash, outcome, at)
      window same_key as (partition by b.sender_id, b.key order by b.outcome = 'posted' desc, b.at)
    ), decided as (
      select a.at,
             coalesce(e.message_id, case when a.key is null or a.holder_at >= a.at then a.id else a.holder_id end) as answer,
             case when e.key is not null then case when e.request_hash = a.request_hash then 'replayed' else 'key_reused' end
                  when a.key is null or a.outcome <> 'posted' or a.holder_at = a.at then a.outcome
                  when a.holder_hash = a.request_hash then 'replayed' else 'key_reused' end as outcome
        from keyed a left join message_keys e on e.user_id = a.sender_id and e.key = a.key
    )
    select array_agg(d.outcome order by d.at), array_agg(d.answer order by d.at) into outcomes, answers from decided d;
  end if;

  select array_agg(case when b.outcome = 'posted'
                        then greatest(now_ms, last.sent_at + tick) + tick * (b.nth - 1) end order by b.at)
    into times
    from (select given.id, given.outcome, given.at,
                 row_number() over (partition by given.id, given.outcome order by given.at) as nth
            from unnest(channel_ids, outcomes) with ordinality given(id, outcome, at)) b
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

  if has_direct then
    insert into events (kind, channel_id, user_id, actor_id, payload, inserted_at)
    select 'message', t.event_channel_id, t.user_id, b.sender_id, jsonb_build_object('message_id', b.id) || t.payload, moment
      from unnest(ids, channel_ids, times, sender_ids) with ordinality b(id, channel_id, sent_at, sender_id, at)
      join channels c on c.id = b.channel_id
     cross join message_targets(c.id, c.type, c.low_id, c.high_id) t
     where b.sent_at is not null
     order by b.at;
  else
    -- The same without the channels: most batches have no direct message, and the join takes a third of their time.
    insert into events (kind, channel_id, actor_id, payload, inserted_at)
    select 'message', b.channel_id, b.sender_id, jsonb_build_object('message_id', b.id), moment
      from unnest(ids, channel_ids, times, sender_ids) with ordinality b(id, channel_id, sent_at, sender_id, at)
     where b.sent_at is not null
     order by b.at;
  end if;
  perform pg_notify('plaza_events', '');

  if is_keyed then
    insert into message_keys (user_id, key, request_hash, message_id, inserted_at)
    select b.sender_id, b.key, b.request_hash, b.id, moment
      from unnest(ids, sender_ids, keys, request_hashes, outcomes) b(id, sender_id, key, request_hash, outcome)
     where b.key is not null and b.outcome = 'posted';
    return query
    select b.outcome, b.answer, m.filtered_body, m.sent_at, u.username, r.message_id is not null, c.muted_until
      from unnest(outcomes, answers, sender_ids) with ordinality b(outcome, answer, sender_id, at)
      left join messages m on m.id = b.answer and b.outcome in ('posted', 'replayed')
      left join removed_messages r on r.message_id = m.id and b.outcome = 'replayed'
      left join users u on u.id = b.sender_id
      left join chat_mutes c on c.user_id = b.sender_id and b.outcome = 'muted'
     order by b.at;
  else
    return query
    select b.outcome, b.id, b.filtered_body, b.sent_at, u.username, false, c.muted_until
      from unnest(outcomes, ids, filtered_bodies, times, sender_ids)
           with ordinality b(outcome, id, filtered_body, sent_at, sender_id, at)
      left join users u on u.id = b.sender_id
      left join chat_mutes c on c.user_id = b.sender_id and b.outcome = 'muted'
     order by b.at;
  end if;
end $$;

-- Writes the presence of users or their departure, each user once, and publishes the visible changes. A repetition
-- that changes nothing is not published. Lock order: one advisory lock for all writers of all processes. Unlike a row lock
-- it gives the transaction no id: the transaction gets its id when it holds the lock, so events are in the order of the changes.
create or replace function move_presence(
  moment timestamptz, online_since timestamptz, user_ids uuid[], games text[], lobbies text[], leave boolean[]
) returns void
language plpgsql set enable_seqscan = off as $$
declare
  changes bigint;
begin
  perform pg_advisory_xact_lock(7205461340);

  with published as (
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
  ), left_users as (
    delete from announced_presence a using published p where not p.online and a.user_id = p.actor_id
  ), came as (
    insert into announced_presence (user_id) select actor_id from published where online on conflict do nothing
  )
  select count(*) into changes from published;
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

-- Publishes up to `rows_max` users as offline who were published as online and not seen since `online_since`; returns
-- the number. Lock order: as in `move_presence`.
create or replace function publish_lapsed_presence(moment timestamptz, online_since timestamptz, rows_max bigint) returns bigint
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
  ), removed as (
    delete from announced_presence a using lapsed where a.user_id = lapsed.user_id
  ), published as (
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
  select count(*) into lapses from published;
  if lapses > 0 then perform pg_notify('plaza_events', ''); end if;
  return lapses;
end $$;

-- Scans the index of lower-case usernames from the prefix to the last returned row, and reads only these rows and the
-- blocks of the viewer. A cached plan from a small table would read all names with the prefix. The range is written out instead of `like`, so that no character is a wildcard; no name is after the
-- last code point.
create or replace function search_users(p_viewer_id uuid, p_prefix text, p_rows_max integer)
returns table (id uuid, username text)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select u.id, u.username
    from users u
   where lower(u.username) ~>=~ lower(p_prefix)
     and lower(u.username) ~<~ (lower(p_prefix) || chr(1114111))
     and u.suspended_at is null and u.id <> p_viewer_id
     and not exists (select 1 from blocks b where b.blocker_id = p_viewer_id and b.blocked_id = u.id)
     and not exists (select 1 from blocks b where b.blocked_id = p_viewer_id and b.blocker_id = u.id)
   order by lower(u.username) using ~<~, u.id
   limit p_rows_max;
end $$;
