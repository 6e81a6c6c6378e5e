-- A new id that sorts by time, as `newId` in platform/ids.ts makes them: a UUIDv7.
create or replace function new_id(moment timestamptz) returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send(floor(extract(epoch from moment) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- Records an event in the transaction of its cause, if the app listens. Without a time, the event gets that of its
-- publication.
create or replace function record_app_event(p_app_id uuid, p_type text, p_data json, p_occurred_at timestamptz)
returns void language plpgsql as $$
begin
  insert into app_event_outbox (app_id, type, ids, data, occurred_at)
  select a.id, p_type, array[new_id(coalesce(p_occurred_at, now()))], p_data, p_occurred_at
    from point_accounts a
   where a.id = p_app_id and a.listened;
  if found then
    perform pg_notify('plaza_events', 'webhooks');
  end if;
end $$;

-- Records the events of a batch of orders for the apps that listen: a row for each app and type, with the ids that the
-- applied orders made or released.
create or replace function record_ledger_events(moment timestamptz, ids uuid[], app_ids uuid[], events text[], outcomes text[])
returns void language plpgsql as $$
declare
  -- Waiting rows have already notified the publisher, which reads again after publishing them.
  others_wait constant boolean := exists (select from app_event_outbox order by at limit 1);
begin
  insert into app_event_outbox (app_id, type, ids, occurred_at)
  select app.id, o.type, array_agg(o.id order by o.at), moment
    from unnest(ids, app_ids, events, outcomes) with ordinality o(id, app_id, type, outcome, at)
    -- The limit forces one index lookup each: a join would scan the table while it is small, and keep that plan as it
    -- grows.
   cross join lateral (
     select a.id from point_accounts a where a.id = o.app_id and a.listened limit 1
   ) app
   where o.outcome = 'applied' and o.type is not null
   group by app.id, o.type
   order by min(o.at);
  if found and not others_wait then
    perform pg_notify('plaza_events', 'webhooks');
  end if;
end $$;

-- The payload of a ledger event: of the movement, or of the freed hold, with this id. In PL/pgSQL, which keeps the
-- plans: as one SQL expression, each call was planned again and cost ten times as much.
create or replace function ledger_event_data(p_type text, p_id uuid) returns json
language plpgsql stable set enable_seqscan = off as $$
begin
  if p_type = 'hold.released' then
    return (
      select json_build_object('hold_id', h.id, 'user_id', h.user_id, 'amount', h.amount, 'reason', h.release_reason,
                               'reference', h.reference, 'metadata', h.metadata)
        from holds h where h.id = p_id limit 1);
  elsif p_type = 'hold.captured' then
    return (
      select json_build_object('hold_id', h.id, 'transfer_id', t.id, 'user_id', t.from_account, 'amount', t.amount,
                               'held_amount', h.amount, 'reference', h.reference, 'metadata', h.metadata)
        from (select * from transfers where id = p_id limit 1) t
       cross join lateral (select * from holds where id = t.hold_id limit 1) h);
  elsif p_type in ('points.spent', 'points.paid_out') then
    return (
      select json_build_object('transfer_id', t.id,
                               'user_id', case p_type when 'points.spent' then t.from_account else t.to_account end,
                                'amount', t.amount, 'description', t.description,
                               'reference', t.reference, 'metadata', t.metadata)
        from transfers t where t.id = p_id limit 1);
  elsif p_type = 'points.refunded' then
    return (
      select json_build_object('transfer_id', t.id, 'refunded_transfer_id', t.refunded_id,
               -- The person of the spend: points of a departed person go to a system account.
               'user_id', coalesce((select from_account from transfers where id = t.refunded_id limit 1), t.to_account),
               'amount', t.amount, 'reason', t.description, 'reference', t.reference, 'metadata', t.metadata)
        from transfers t where t.id = p_id limit 1);
  elsif p_type = 'points.awarded' then
    return (
      select json_build_object('transfer_id', t.id, 'user_id', t.to_account, 'amount', t.amount, 'description', t.description)
        from transfers t where t.id = p_id limit 1);
  end if;
  return null;
end $$;

-- Records that these sign-ins at apps, whose rows the caller has deleted, have ended (D-155), for apps with an address
-- for logout tokens. Voids codes that would make identity tokens for them.
create or replace function record_logouts(app_ids uuid[], user_ids uuid[], sids uuid[], moment timestamptz) returns void
language plpgsql as $$
begin
  if sids is null then
    return;
  end if;
  delete from authorization_codes
   where code_hash in (
     select c.code_hash from authorization_codes c
      where c.code_hash = any(array(select o.code_hash from openid_codes o where o.sid = any(sids)))
        and c.used_at is null
      order by c.code_hash for update)
     and used_at is null;
  insert into app_event_outbox (app_id, type, ids, data, occurred_at)
  select e.app_id, 'logout', array[new_id(moment)], json_build_object('user_id', e.user_id, 'sid', e.sid), moment
    from unnest(app_ids, user_ids, sids) e(app_id, user_id, sid)
   where (select a.backchannel_logout_uri from oauth_apps a where a.id = e.app_id) is not null;
  if found then
    perform pg_notify('plaza_events', 'webhooks');
  end if;
end $$;

create or replace function end_openid_sessions() returns trigger language plpgsql as $$
declare
  app_ids uuid[];
  user_ids uuid[];
  sids uuid[];
begin
  with gone as (delete from openid_sessions o where o.session_id = new.id returning o.app_id, o.user_id, o.sid)
  select array_agg(g.app_id), array_agg(g.user_id), array_agg(g.sid) into app_ids, user_ids, sids from gone g;
  perform record_logouts(app_ids, user_ids, sids, new.ended_at);
  return null;
end $$;

create or replace trigger ended_sessions_reach_apps after update of ended_at on login_sessions
  for each row when (old.ended_at is null and new.ended_at is not null)
  execute function end_openid_sessions();

-- Notifies every app that the person ever connected of the deletion of the account (D-155).
create or replace function record_account_deletion() returns trigger language plpgsql as $$
begin
  perform record_app_event(c.app_id, 'account.deleted', json_build_object('user_id', old.id), null)
     from connections c where c.user_id = old.id order by c.app_id;
  return null;
end $$;

create or replace trigger deleted_accounts_are_events after delete on users
  for each row execute function record_account_deletion();

-- Creates or changes the webhook for logout tokens with the app's address for them.
create or replace function change_logout_webhook() returns trigger language plpgsql as $$
begin
  if new.backchannel_logout_uri is null then
    update webhooks set deleted_at = new.updated_at, due_at = null
     where app_id = new.id and purpose = 'logout' and deleted_at is null;
    return null;
  end if;
  update webhooks
     set url = new.backchannel_logout_uri, failing_since = null, disabled_at = null, disabled_reason = null,
         due_at = new.updated_at, anew_since = new.updated_at, updated_at = new.updated_at
   where app_id = new.id and purpose = 'logout' and deleted_at is null;
  if not found then
    insert into webhooks (id, app_id, url, events, purpose, inserted_at, updated_at)
    values (new_id(new.updated_at), new.id, new.backchannel_logout_uri, '{}', 'logout', new.updated_at, new.updated_at);
  end if;
  return null;
end $$;

create or replace trigger change_logout_webhook after update of backchannel_logout_uri on oauth_apps
  for each row when (old.backchannel_logout_uri is distinct from new.backchannel_logout_uri)
  execute function change_logout_webhook();

create or replace function record_connection_event() returns trigger language plpgsql as $$
declare
  app_ids uuid[];
  user_ids uuid[];
  sids uuid[];
begin
  if new.disconnected_at is null then
    perform record_app_event(new.app_id, 'connection.created',
      json_build_object('user_id', new.user_id, 'scopes', array(select s from unnest(new.scopes) s order by s)),
      new.connected_at);
  else
    perform record_app_event(new.app_id, 'connection.ended', json_build_object('user_id', new.user_id), new.disconnected_at);
    with gone as (
      delete from openid_sessions o where o.user_id = new.user_id and o.app_id = new.app_id
      returning o.app_id, o.user_id, o.sid
    )
    select array_agg(g.app_id), array_agg(g.user_id), array_agg(g.sid) into app_ids, user_ids, sids from gone g;
    perform record_logouts(app_ids, user_ids, sids, new.disconnected_at);
  end if;
  return null;
end $$;
create or replace trigger connections_made_are_events after insert on connections
  for each row execute function record_connection_event();
create or replace trigger connections_changed_are_events after update of disconnected_at on connections
  for each row when ((old.disconnected_at is null) <> (new.disconnected_at is null))
  execute function record_connection_event();

create or replace function record_deployment_event() returns trigger language plpgsql as $$
begin
  perform record_app_event(new.app_id, 'deployment.changed',
    json_build_object('deployment_id', new.id, 'subdomain', new.subdomain, 'status', new.status,
      'previous_status', case when tg_op = 'UPDATE' then old.status end, 'health_status', new.health_status),
    null);
  return null;
end $$;
create or replace trigger deployments_made_are_events after insert on deployments
  for each row execute function record_deployment_event();
create or replace trigger deployments_changed_are_events after update of status, health_status on deployments
  for each row when ((old.status, old.health_status) is distinct from (new.status, new.health_status))
  execute function record_deployment_event();

-- Moves events from the outbox to `app_events` and makes their deliveries. Returns the number of rows; -1 while another
-- process does it. One process at a time gives out `seq`, and commits before the next one begins, so `seq` is the order
-- of visibility.
create or replace function publish_app_events(moment timestamptz, rows_max integer) returns integer
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  seq_before bigint;
  seq_after bigint;
  rows_taken integer;
  webhook_ids uuid[];
begin
  if not exists (select from app_event_outbox order by at limit 1) then
    return 0;
  elsif not pg_try_advisory_xact_lock(7205461351) then
    return -1;
  end if;
  seq_before := nextval('app_events_seq') - 1;
  with taken as (
    delete from app_event_outbox
     where at = any(array(select at from app_event_outbox order by at limit rows_max))
    returning at, app_id, type, ids, data, coalesce(occurred_at, moment) as occurred_at
  ), numbered as (
    select t.*, seq_before + sum(cardinality(t.ids)) over (order by t.at) as seq from taken t
  ), published as (
    insert into app_events (app_id, seq, type, ids, data, occurred_at, published_at)
    select app_id, seq, type, ids, data, occurred_at, moment from numbered where type <> 'logout' order by at
  ), made as (
    insert into webhook_deliveries (webhook_id, id, event_id, type, data, occurred_at, next_attempt_at, inserted_at)
    select w.id, new_id(moment), e.id, n.type, n.data, n.occurred_at, moment, moment
      from numbered n
     cross join lateral (
       select id from webhooks
        where app_id = n.app_id and deleted_at is null and disabled_at is null
          and case n.type when 'logout' then purpose = 'logout' else events is null or n.type = any(events) end
     ) w
     cross join lateral unnest(n.ids) with ordinality e(id, place)
     order by n.at, e.place
    returning webhook_id
  )
  select (select count(*) from numbered), (select max(seq) from numbered), array(select distinct webhook_id from made)
    into rows_taken, seq_after, webhook_ids;
  perform setval('app_events_seq', seq_after);
  -- After the deliveries: see release_webhook. Locks in id order, so that processes cannot deadlock.
  perform 1 from webhooks where id = any(webhook_ids) order by id for no key update;
  update webhooks set due_at = least(coalesce(due_at, moment), moment) where id = any(webhook_ids);
  return rows_taken;
end $$;

-- Ends a lease and says when the next delivery is due, not before `not_before`. The webhook is locked before its deliveries
-- are read; a writer locks it after adding one. So either this function sees the delivery, or `due_at` is set afterwards.
create or replace function release_webhook(p_id uuid, p_owner uuid, not_before timestamptz) returns void
language plpgsql set enable_seqscan = off as $$
declare
  next_at timestamptz;
begin
  perform 1 from webhooks where id = p_id and lease_owner = p_owner for no key update;
  if not found then
    return;
  end if;
  select next_attempt_at into next_at from webhook_deliveries
   where webhook_id = p_id and status = 'pending'
   order by next_attempt_at limit 1;
  update webhooks
     set lease_owner = null, lease_until = null,
         due_at = case when coalesce(due_at, next_at) is not null then greatest(least(due_at, next_at), not_before) end
   where id = p_id;
end $$;

-- Writes the results of attempts, and whether their webhooks fail. A delivery without a next time has failed, unless it
-- was repeated in the meantime. A failure after 2 days without one begins a new series: a delivery is retried after at
-- most 24 hours plus a tenth. Returns the webhooks that have been failing since `failing_before` or earlier.
create or replace function record_webhook_attempts(
  moment timestamptz, failing_before timestamptz, webhook_ids uuid[], delivery_ids uuid[], tries_before integer[],
  started_ats timestamptz[], durations integer[], status_codes integer[], errors text[], answers text[],
  successes boolean[], next_ats timestamptz[]
) returns table (webhook_id uuid) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
begin
  perform 1
     from unnest(webhook_ids, delivery_ids) r(webhook_id, id)
     join webhook_deliveries d on d.webhook_id = r.webhook_id and d.id = r.id
    order by d.webhook_id, d.id
      for no key update of d;
  with result as (
    select * from unnest(webhook_ids, delivery_ids, tries_before, started_ats, durations, status_codes, errors, answers,
                         successes, next_ats)
      r(webhook_id, id, tries, started_at, duration_ms, status_code, error, answer, success, next_at)
  ), written as (
    update webhook_deliveries d
       set attempts = d.attempts + 1,
           tries = case when d.tries = r.tries then d.tries + 1 else d.tries end,
           status = case when r.success then 'succeeded'
                         when d.status = 'pending' and d.tries = r.tries and r.next_at is null then 'failed'
                         else d.status end,
           next_attempt_at = case when r.success or d.status <> 'pending' then null
                                  when d.tries = r.tries then r.next_at
                                  else d.next_attempt_at end
      from result r
     where d.webhook_id = r.webhook_id and d.id = r.id
    returning d.id, d.attempts
  )
  insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, error, answer)
  select w.id, w.attempts, r.started_at, r.duration_ms, r.status_code, r.error, r.answer
    from written w join result r on r.id = w.id;

  perform 1 from webhooks where id = any(webhook_ids) order by id for no key update;
  update webhooks w
     set failing_since = case when s.success then null
                              when coalesce(w.last_failed_at, w.failing_since) > moment - interval '2 days'
                                then coalesce(w.failing_since, moment)
                              else moment end,
         last_failed_at = case when not s.success then moment end
    from (select r.webhook_id, bool_or(r.success) as success
            from unnest(webhook_ids, successes) r(webhook_id, success) group by r.webhook_id) s
   where w.id = s.webhook_id
     and case when s.success then w.failing_since is not null
              -- Accurate to an hour, so that few attempts write this row.
              else w.failing_since is null or w.last_failed_at is null or w.last_failed_at <= moment - interval '1 hour' end;
  return query
    select w.id from webhooks w
     where w.id = any(webhook_ids) and w.failing_since <= failing_before and w.disabled_at is null;
end $$;
