-- The Idempotency-Keys of messages (D-92): written with the message, kept as those of points are.
create table message_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  message_id uuid not null,
  inserted_at timestamptz not null,
  primary key (user_id, key)
);

drop function post_messages(timestamptz, uuid[], uuid[], uuid[], text[], text[]);

-- Posts a batch of messages in order, in one transaction, and tells for each what became of it: posted, replayed (an
-- earlier message with its key, which is answered), key_reused or unknown_channel. `sent_at` is null where nothing was posted,
-- now or earlier. Every message of a channel is later than the one before it, by a millisecond at least.
-- Channels and keys are locked in one order, so batches of several processes cannot deadlock; and by advisory locks, which
-- unlike row locks give the transaction no id: it gets its id only when it holds them all, so that the events of a
-- channel stand in the order of their messages. Without keys, it is called as it was before there were any.
create function post_messages(
  moment timestamptz, ids uuid[], channel_ids uuid[], sender_ids uuid[], bodies text[], filtered_bodies text[],
  keys text[] default null, request_hashes bytea[] default null
) returns table (outcome text, message_id uuid, filtered_body text, sent_at timestamptz, sender_username text)
-- The last time of a channel is one step in its index. Planned while the table was small or its statistics old, it would
-- be a scan of all messages for every batch (measured: 900 posts a second, and falling).
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  tick constant interval := interval '1 millisecond';
  now_ms constant timestamptz := date_trunc('milliseconds', moment);
  times timestamptz[];
  outcomes text[];
  -- The message that each call is answered with: its own, or the one that took its key.
  answers uuid[] := ids;
  is_keyed constant boolean := coalesce(array_length(array_remove(keys, null), 1), 0) > 0;
begin
  perform pg_advisory_xact_lock(locks.key)
     from (select hashtextextended(id::text, 7205461339) as key from unnest(channel_ids) id
           union
           select hashtextextended(k.sender_id::text || ' ' || k.key, 7205461341)
             from unnest(sender_ids, keys) k(sender_id, key) where k.key is not null
            order by key) locks;

  select array_agg(case when c.id is null then 'unknown_channel' else 'posted' end order by b.at)
    into outcomes
    from unnest(channel_ids) with ordinality b(id, at) left join channels c on c.id = b.id;

  if is_keyed then
    -- A key is held by an earlier message, or else by the first of this batch that can be posted.
    with asked as (
      select b.*, first_value(b.at) over same_key as holder_at, first_value(b.id) over same_key as holder_id,
             first_value(b.request_hash) over same_key as holder_hash
        from unnest(ids, sender_ids, keys, request_hashes, outcomes)
             with ordinality b(id, sender_id, key, request_hash, outcome, at)
      window same_key as (partition by b.sender_id, b.key order by b.outcome = 'posted' desc, b.at)
    ), judged as (
      select a.at,
             coalesce(e.message_id, case when a.key is null or a.holder_at >= a.at then a.id else a.holder_id end) as answer,
             case when e.key is not null then case when e.request_hash = a.request_hash then 'replayed' else 'key_reused' end
                  when a.key is null or a.outcome <> 'posted' or a.holder_at = a.at then a.outcome
                  when a.holder_hash = a.request_hash then 'replayed' else 'key_reused' end as outcome
        from asked a left join message_keys e on e.user_id = a.sender_id and e.key = a.key
    )
    select array_agg(j.outcome order by j.at), array_agg(j.answer order by j.at) into outcomes, answers from judged j;
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

  insert into events (kind, channel_id, actor_id, payload, inserted_at)
  select 'message', b.channel_id, b.sender_id, jsonb_build_object('message_id', b.id), moment
    from unnest(ids, channel_ids, times, sender_ids) with ordinality b(id, channel_id, sent_at, sender_id, at)
   where b.sent_at is not null
   order by b.at;
  perform pg_notify('plaza_events', '');

  if is_keyed then
    insert into message_keys (user_id, key, request_hash, message_id, inserted_at)
    select b.sender_id, b.key, b.request_hash, b.id, moment
      from unnest(ids, sender_ids, keys, request_hashes, outcomes) b(id, sender_id, key, request_hash, outcome)
     where b.key is not null and b.outcome = 'posted';
    return query
    select b.outcome, b.answer, m.filtered_body, m.sent_at, u.username
      from unnest(outcomes, answers, sender_ids) with ordinality b(outcome, answer, sender_id, at)
      left join messages m on m.id = b.answer and b.outcome in ('posted', 'replayed')
      left join users u on u.id = b.sender_id
     order by b.at;
  else
    return query
    select b.outcome, b.id, b.filtered_body, b.sent_at, u.username
      from unnest(outcomes, ids, filtered_bodies, times, sender_ids)
           with ordinality b(outcome, id, filtered_body, sent_at, sender_id, at)
      left join users u on u.id = b.sender_id
     order by b.at;
  end if;
end $$;
