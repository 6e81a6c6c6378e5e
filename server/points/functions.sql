create or replace trigger transfers_are_immutable before delete or truncate on transfers
  for each statement execute function refuse_change();

-- The only permitted change of a transfer removes its texts after a person has left (D-106).
create or replace function refuse_transfer_change() returns trigger language plpgsql as $$
begin
  old.description := null;
  old.reference := null;
  old.metadata := null;
  if new is distinct from old then
    raise exception 'transfers is append-only';
  end if;
  return new;
end $$;
create or replace trigger transfers_lose_texts_only before update on transfers
  for each row execute function refuse_transfer_change();

-- A batch of orders is applied in order, in one transaction. An order has an effect: `move` moves `amount` points from
-- `from` to `to`; `hold` sets points of `from` aside for `to`; `capture` moves `amount` of a hold to `to` and frees the
-- rest; `release` frees a hold. The kind is only stored. Each order gets an outcome: applied, replayed, key_reused,
-- insufficient_points, unknown_account, limit_reached, spending_limit_reached, hold_settled, refund_exceeds_spend,
-- recipient_not_connected, earnings_held or payout_limit_reached. A refused order changes nothing, and the others of
-- the batch are applied. The result is one row of arrays, because a row for each order is slower to build and to read:
-- the points available to both accounts after each order, the held points after a hold, and where there are keys, the
-- id that each order made now or earlier.
--
-- `account_ids` are the accounts of the batch, descending and each once; `from_at`, `to_at` and `key_owners_at` are
-- positions in it. Lock order: accounts by descending id, so batches of several processes cannot deadlock. System
-- accounts, which pay all awards, have the lowest ids, so an award that waits for the account of its user does not
-- block other awards. Idempotency keys are read under the lock of the account that owns them, holds under that of their
-- user, and the refunds of a spend under that of the app that received it: no key is applied twice, a hold has one
-- outcome, and refunds never exceed their spend. Nothing else writes holds and refunds.

-- Applies a batch of moves without keys, references and refunds, as nearly all batches are. Every expression costs time
-- in each batch, so this function has only those that every move needs. If an account has a limit or a listener, or is
-- closed, `apply_orders_fully` applies the batch. The last five parameters are for that case.
create or replace function apply_moves(
  moment timestamptz, account_ids uuid[],
  ids uuid[], kinds text[], from_at integer[], to_at integer[], amounts bigint[],
  app_ids uuid[], descriptions text[], only_to_users boolean[],
  effects text[], refuse_closed boolean[], count_to_limit boolean[], events text[], limited_kinds text[],
  out outcomes text[], out made_ids uuid[], out from_availables bigint[], out to_availables bigint[], out from_helds bigint[]
) language plpgsql as $$
declare
  found_ids uuid[];
  kinds_of_account text[];
  credits bigint[];
  debits bigint[];
  holding bigint[];
  is_special boolean;
  refusal text;
  f integer;
  t integer;
begin
  select array_agg(a.id), array_agg(a.kind), array_agg(a.credited), array_agg(a.debited), array_agg(a.held),
         bool_or(a.limited or a.listened or a.closed)
    into found_ids, kinds_of_account, credits, debits, holding, is_special
    from (select * from point_accounts where id = any(account_ids) order by id desc for no key update) a;
  if is_special or found_ids is distinct from account_ids then
    select o.* into outcomes, made_ids, from_availables, to_availables, from_helds
      from apply_orders_fully(
        moment, account_ids, ids, effects, kinds, from_at, to_at, amounts, app_ids, descriptions, only_to_users,
        refuse_closed, count_to_limit, events, limited_kinds,
        null, null, null, null, null, null, null, null, null, null, null, null, null, null) o;
    return;
  end if;
  outcomes := array_fill('applied'::text, array[cardinality(ids)]);
  from_availables := array_fill(null::bigint, array[cardinality(ids)]);
  to_availables := from_availables;

  for i in 1 .. cardinality(ids) loop
    f := from_at[i];
    t := to_at[i];
    refusal := case
      when only_to_users[i] and kinds_of_account[t] <> 'user' then 'unknown_account'
      when kinds_of_account[f] <> 'system' and credits[f] - debits[f] - holding[f] < amounts[i] then 'insufficient_points'
      when credits[t] > (case when kinds_of_account[t] = 'system' then 9223372036854775807
                                   else 9007199254740991 end) - amounts[i]
        or debits[f] > 9223372036854775807 - amounts[i] then 'limit_reached'
    end;
    if refusal is not null then
      outcomes[i] := refusal;
      continue;
    end if;
    debits[f] := debits[f] + amounts[i];
    credits[t] := credits[t] + amounts[i];
    from_availables[i] := credits[f] - debits[f] - holding[f];
    to_availables[i] := credits[t] - debits[t] - holding[t];
  end loop;

  insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at)
  select b.id, b.kind, found_ids[b.f], found_ids[b.t], b.amount, b.from_available + holding[b.f], b.to_available + holding[b.t],
         b.app_id, b.description, moment
    from unnest(ids, kinds, from_at, to_at, amounts, from_availables, to_availables, app_ids, descriptions, outcomes)
         with ordinality b(id, kind, f, t, amount, from_available, to_available, app_id, description, outcome, at)
   where b.outcome = 'applied'
   order by b.at;
  update point_accounts a
     set credited = n.credited, debited = n.debited
    from unnest(found_ids, credits, debits) n(id, credited, debited)
   where a.id = n.id and (a.credited, a.debited) is distinct from (n.credited, n.debited);
end $$;

-- Applies a batch of any orders. An array of optional values may be null if all its values are.
--
-- `before_expiry` orders settle a hold only until it expires. `count_to_limit` orders count against the daily limit
-- that the person has set for the app, as the stored kinds `limited_kinds` do. A closed account gets nothing (D-106):
-- `refuse_closed` orders for it have the outcome unknown_account, and other moves go to the system account for departed
-- people, which has the lowest id.
--
-- `pays_out` orders go to people connected to the app, within its daily limit: `payout_limits`, unless admins set
-- another one (D-130, D-132). Orders with `earned_before` do not use points that the app earned since then (D-131).
--
-- Orders with `agent_limits` come from tools of the MCP server (D-156): this limit applies if the person has set no
-- daily limit.
create or replace function apply_orders_fully(
  moment timestamptz, account_ids uuid[],
  ids uuid[], effects text[], kinds text[], from_at integer[], to_at integer[], amounts bigint[],
  app_ids uuid[], descriptions text[], only_to_users boolean[],
  refuse_closed boolean[], count_to_limit boolean[], events text[], limited_kinds text[],
  keys text[], key_owners_at integer[], operations text[], request_hashes bytea[],
  reference_texts text[], metadatas text[], hold_ids uuid[], refunded_ids uuid[], expiries timestamptz[], before_expiry boolean[],
  pays_out boolean[], payout_limits bigint[], earned_before timestamptz[], agent_limits bigint[],
  out outcomes text[], out made_ids uuid[], out from_availables bigint[], out to_availables bigint[], out from_helds bigint[]
) language plpgsql as $$
declare
  departed constant uuid := '00000000-0000-7000-8000-000000000000';
  found_ids uuid[];
  kinds_of_account text[];
  credits bigint[];
  debits bigint[];
  holding bigint[];
  limited boolean[];
  listened boolean[];
  closed boolean[];
  -- The balance of both accounts after each order, held points included: the row of its transfer stores them.
  from_afters bigint[];
  to_afters bigint[];
  used_hashes bytea[];
  used_ids uuid[];
  used_points bigint[];
  same_before integer[];
  -- For each key, the order of this batch that was applied under it.
  applied_at integer[];
  -- The state of the holds, refunded spends and limits of the batch, and the position of each order's one.
  holds_at integer[];
  hold_open boolean[];
  hold_amounts bigint[];
  hold_expiries timestamptz[];
  spends_at integer[];
  refundable bigint[];
  limits_at integer[];
  allowances bigint[];
  -- For each order, whether its recipient is connected; for each account, the points that it may pay out, and its daily
  -- limit.
  connected boolean[];
  payables bigint[];
  earned_since bigint;
  payout_rests bigint[];
  settles boolean;
  moves boolean;
  refusal text;
  f integer;
  t integer;
  e integer;
  h integer;
  s integer;
  l integer;
begin
  loop
    select array_agg(a.id), array_agg(a.kind), array_agg(a.credited), array_agg(a.debited), array_agg(a.held),
           array_agg(a.limited), array_agg(a.listened), array_agg(a.closed)
      into found_ids, kinds_of_account, credits, debits, holding, limited, listened, closed
      from (select * from point_accounts where id = any(account_ids) order by id desc for no key update) a;
    exit when departed = any(account_ids) or true = any(closed) is not true;
    account_ids := account_ids || departed;
  end loop;
  -- Both are null if they equal others, as in a batch of spends.
  key_owners_at := coalesce(key_owners_at, from_at);
  operations := coalesce(operations, kinds);
  if found_ids is distinct from account_ids then
    from_at := positions_in(found_ids, account_ids, from_at);
    to_at := positions_in(found_ids, account_ids, to_at);
    key_owners_at := positions_in(found_ids, account_ids, key_owners_at);
  end if;
  outcomes := array_fill('applied'::text, array[cardinality(ids)]);
  from_availables := array_fill(null::bigint, array[cardinality(ids)]);
  to_availables := from_availables;
  from_afters := from_availables;
  to_afters := from_availables;
  made_ids := ids;

  -- Reads only the tables that an order of the batch needs.
  if keys is not null then
    select u.* into used_hashes, used_ids, used_points, same_before
      from find_used_keys(found_ids, key_owners_at, app_ids, operations, keys) u;
    applied_at := array_fill(null::integer, array[cardinality(ids)]);
  end if;
  if num_nonnulls(hold_ids, expiries) > 0 then
    from_helds := from_availables;
    select h.* into holds_at, hold_open, hold_amounts, hold_expiries from find_holds(hold_ids) h;
  end if;
  if refunded_ids is not null then
    select r.* into spends_at, refundable from find_refundable(refunded_ids) r;
  end if;
  if true = any(limited) or agent_limits is not null then
    select a.* into limits_at, allowances
      from find_allowances(moment, found_ids, limited, from_at, app_ids, count_to_limit, limited_kinds, agent_limits) a;
  end if;
  if pays_out is not null then
    connected := connected_at(app_ids, found_ids, to_at, pays_out);
    payout_rests := payout_rests_at(moment, found_ids, from_at, pays_out, payout_limits);
  end if;
  if earned_before is not null then
    earned_since := transfer_seq_at((select min(o.moment) from unnest(earned_before) o(moment)));
    payables := payables_at(found_ids, from_at, earned_before, earned_since);
  end if;

  for i in 1 .. cardinality(ids) loop
    f := from_at[i];
    t := to_at[i];
    if keys[i] is not null and key_owners_at[i] is not null then
      if used_hashes[i] is not null then
        outcomes[i] := case when used_hashes[i] = request_hashes[i] then 'replayed' else 'key_reused' end;
        made_ids[i] := used_ids[i];
        from_availables[i] := used_points[i];
        continue;
      end if;
      e := same_before[i];
      if outcomes[e] <> 'applied' then
        e := applied_at[e];
      end if;
      applied_at[i] := e;
      if e is not null then
        outcomes[i] := case when request_hashes[e] = request_hashes[i] then 'replayed' else 'key_reused' end;
        made_ids[i] := made_ids[e];
        from_availables[i] := from_availables[e];
        continue;
      end if;
    end if;
    moves := effects[i] in ('move', 'capture');
    settles := effects[i] in ('capture', 'release');
    h := holds_at[i];
    s := spends_at[i];
    l := limits_at[i];
    if closed[t] and effects[i] = 'move' and not refuse_closed[i] then
      t := cardinality(found_ids);
      to_at[i] := t;
    end if;
    refusal := case
      when f is null or t is null or (closed[t] and refuse_closed[i])
        or (only_to_users[i] and kinds_of_account[t] <> 'user') then 'unknown_account'
      when not connected[i] then 'recipient_not_connected'
      when settles and (hold_open[h] is not true or (before_expiry[i] and hold_expiries[h] <= moment)
                        or (moves and hold_amounts[h] < amounts[i])) then 'hold_settled'
      when s is not null and coalesce(refundable[s], 0) < amounts[i] then 'refund_exceeds_spend'
      when not settles and kinds_of_account[f] <> 'system' and credits[f] - debits[f] - holding[f] < amounts[i] then 'insufficient_points'
      when not settles and allowances[l] < amounts[i] then 'spending_limit_reached'
      when earned_before[i] is not null and payables[f] < amounts[i] then 'earnings_held'
      when pays_out[i] and payout_rests[f] < amounts[i] then 'payout_limit_reached'
      when moves and (credits[t] > (case when kinds_of_account[t] = 'system' then 9223372036854775807
                                         else 9007199254740991 end) - amounts[i]
                      or debits[f] > 9223372036854775807 - amounts[i]) then 'limit_reached'
    end;
    if refusal is not null then
      outcomes[i] := refusal;
      continue;
    end if;
    if moves then
      debits[f] := debits[f] + amounts[i];
      credits[t] := credits[t] + amounts[i];
      if payables[f] is not null and not is_transfer_since(refunded_ids[i], earned_since) then
        payables[f] := payables[f] - amounts[i];
      end if;
      if pays_out[i] then
        payout_rests[f] := payout_rests[f] - amounts[i];
      end if;
      from_afters[i] := credits[f] - debits[f];
      to_afters[i] := credits[t] - debits[t];
    end if;
    if settles then
      hold_open[h] := false;
      holding[f] := holding[f] - hold_amounts[h];
    elsif not moves then
      holding[f] := holding[f] + amounts[i];
      from_helds[i] := holding[f];
    end if;
    if s is not null then
      refundable[s] := refundable[s] - amounts[i];
    end if;
    if l is not null then
      -- An open hold counts in full. After its settlement only the captured amount counts.
      allowances[l] := allowances[l] + case
        when settles then hold_amounts[h] - case when moves then amounts[i] else 0 end
        else -amounts[i] end;
    end if;
    from_availables[i] := credits[f] - debits[f] - holding[f];
    to_availables[i] := credits[t] - debits[t] - holding[t];
  end loop;

  if keys is not null then
    insert into idempotency_keys (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
    select found_ids[b.owner], b.app_id, b.operation, b.key, b.request_hash, b.id, b.points, moment
      from unnest(ids, key_owners_at, from_availables, app_ids, operations, keys, request_hashes, outcomes)
           b(id, owner, points, app_id, operation, key, request_hash, outcome)
     where b.outcome = 'applied' and b.key is not null;
  end if;
  insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at,
                         reference, metadata, hold_id, refunded_id)
  select b.id, b.kind, found_ids[b.f], found_ids[b.t], b.amount, b.from_after, b.to_after, b.app_id, b.description, moment,
         b.reference, b.metadata::jsonb, b.hold_id, b.refunded_id
    from unnest(ids, kinds, from_at, to_at, amounts, from_afters, to_afters, app_ids, descriptions, reference_texts, metadatas,
                hold_ids, refunded_ids)
         with ordinality b(id, kind, f, t, amount, from_after, to_after, app_id, description, reference, metadata, hold_id,
                           refunded_id, at)
   where b.from_after is not null
   order by b.at;
  if agent_limits is not null then
    insert into agent_transfers (transfer_id, user_id, app_id, amount, inserted_at)
    select b.id, found_ids[b.f], b.app_id, b.amount, moment
      from unnest(ids, from_at, app_ids, amounts, outcomes, agent_limits) b(id, f, app_id, amount, outcome, agent_limit)
     where b.outcome = 'applied' and b.agent_limit is not null;
  end if;
  if from_helds is not null then
    insert into holds (id, user_id, app_id, amount, reference, metadata, inserted_at, expires_at)
    select b.id, found_ids[b.f], b.app_id, b.amount, b.reference, b.metadata::jsonb, moment, b.expires_at
      from unnest(ids, effects, from_at, app_ids, amounts, outcomes, reference_texts, metadatas, expiries)
           b(id, effect, f, app_id, amount, outcome, reference, metadata, expires_at)
     where b.outcome = 'applied' and b.effect = 'hold';
    update holds
       set status = case b.effect when 'capture' then 'captured' else 'released' end, settled_at = moment,
           captured_amount = case b.effect when 'capture' then b.amount end,
           transfer_id = case b.effect when 'capture' then b.id end,
           release_reason = case b.effect when 'release' then b.kind end
      from unnest(ids, effects, kinds, amounts, outcomes, hold_ids) b(id, effect, kind, amount, outcome, hold_id)
     where b.outcome = 'applied' and b.effect in ('capture', 'release') and holds.id = b.hold_id;
  end if;
  update point_accounts a
     set credited = n.credited, debited = n.debited, held = n.held
    from unnest(found_ids, credits, debits, holding) n(id, credited, debited, held)
   where a.id = n.id and (a.credited, a.debited, a.held) is distinct from (n.credited, n.debited, n.held);

  -- The app of a transfer from a system account, and of a hold that the platform frees, is not among the accounts of the batch.
  if events is not null and (true = any(listened) or 'system' = any(kinds_of_account) or 'release' = any(effects)) then
    perform record_ledger_events(moment, ids, app_ids, events, outcomes);
  end if;
  if true = any(listened) then
    perform record_point_moves(moment, found_ids, kinds_of_account, listened, ids, effects, from_at, to_at, outcomes, hold_ids);
  end if;
end $$;

-- Applies payouts of one app (D-130), a part of a batch, as `apply_orders_fully` does. One row under the key stores all
-- of them: a repetition gets the same `outcomes` and the `made_ids`, and no `points_after`; it gets no row if the key was
-- used for other items. Lock order: the key before the accounts. An advisory lock, because a row that claims the key would
-- have to be written twice.
create or replace function apply_payouts(
  moment timestamptz, p_app_id uuid, p_key text, p_request_hash bytea,
  account_ids uuid[], ids uuid[], to_at integer[], amounts bigint[], descriptions text[], reference_texts text[], metadatas text[],
  p_payout_limit bigint, p_earned_before timestamptz,
  out outcomes text[], out made_ids uuid[], out points_after bigint[]
) language plpgsql as $$
declare
  batch constant text := 'payouts';
  size constant integer[] := array[cardinality(ids)];
  yes constant boolean[] := array_fill(true, size);
  stored_hash bytea;
begin
  if p_key is not null then
    perform pg_advisory_xact_lock(hashtextextended(p_app_id::text || p_key, 7205461352));
    select k.request_hash, k.outcomes, k.made_ids into stored_hash, outcomes, made_ids
      from idempotency_keys k
     where (k.user_id, k.app_id, k.operation, k.key) = (p_app_id, p_app_id, batch, p_key);
    if found then
      if stored_hash is distinct from p_request_hash then
        outcomes := null;
      end if;
      return;
    end if;
  end if;
  select o.outcomes, o.from_availables into outcomes, points_after
    from apply_orders_fully(
      moment, account_ids, ids, array_fill('move'::text, size), array_fill('payout'::text, size),
      array_fill(array_position(account_ids, p_app_id), size), to_at, amounts, array_fill(p_app_id, size), descriptions, yes,
      yes, array_fill(false, size), array_fill('points.paid_out'::text, size), null,
      null, null, null, null, reference_texts, metadatas, null, null, null, null,
      yes, array_fill(p_payout_limit, size),
      case when p_earned_before is not null then array_fill(p_earned_before, size) end, null) o;
  if p_key is not null then
    insert into idempotency_keys
      (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at, outcomes, made_ids)
    values (p_app_id, p_app_id, batch, p_key, p_request_hash, ids[1], 0, moment, outcomes, ids);
  end if;
end $$;

-- Translates positions in `account_ids` (`places`) into positions in `found_ids`; null for an account that does not exist.
create or replace function positions_in(found_ids uuid[], account_ids uuid[], places integer[]) returns integer[]
language sql immutable as $$
  select array_agg(array_position(found_ids, account_ids[p.place]) order by p.at)
    from unnest(places) with ordinality p(place, at)
$$;

-- For the key of each order: the result that an earlier batch stored under it, and the previous order of this batch
-- with the same key.
drop function if exists find_used_keys(uuid[], integer[], uuid[], text[], text[]);
create or replace function find_used_keys(
  found_ids uuid[], key_owners_at integer[], app_ids uuid[], operations text[], keys text[],
  out hashes bytea[], out made_ids uuid[], out points bigint[], out same_before integer[]
) language plpgsql stable as $$
begin
  select array_agg(stored.request_hash order by b.at), array_agg(stored.transfer_id order by b.at),
         array_agg(stored.points order by b.at), array_agg(b.before order by b.at)
    into hashes, made_ids, points, same_before
    from (select p.*, lag(p.at) over (partition by p.owner, p.app_id, p.operation, p.key order by p.at) as before
            from unnest(key_owners_at, app_ids, operations, keys) with ordinality p(owner, app_id, operation, key, at)) b
    -- The limit forces one index lookup per key: a join would scan the table while it is small, and keep that plan as
    -- it grows.
    left join lateral (
      select * from idempotency_keys k
       where k.user_id = found_ids[b.owner] and k.app_id = b.app_id and k.operation = b.operation and k.key = b.key
       limit 1
    ) stored on true;
end $$;

-- The holds that orders of a batch settle, and the position of each order's hold.
create or replace function find_holds(
  hold_ids uuid[], out places integer[], out open boolean[], out amounts bigint[], out expiries timestamptz[]
) language plpgsql stable as $$
begin
  with wanted as (
    select o.at, o.hold_id, dense_rank() over (order by o.hold_id) as place
      from unnest(hold_ids) with ordinality o(hold_id, at)
  ), found as (
    select w.place, h.status = 'open' as is_open, h.amount, h.expires_at
      from (select distinct hold_id, place from wanted where hold_id is not null) w
      left join lateral (select * from holds where id = w.hold_id limit 1) h on true
  )
  select (select array_agg(case when hold_id is not null then place end order by at) from wanted)::integer[],
         array_agg(is_open order by place), array_agg(amount order by place), array_agg(expires_at order by place)
    into places, open, amounts, expiries
    from found;
end $$;

-- The refundable amounts of the spends that orders of a batch refund, and the position of each order's spend.
create or replace function find_refundable(refunded_ids uuid[], out places integer[], out rest bigint[])
language plpgsql stable as $$
begin
  with wanted as (
    select o.at, o.refunded_id, dense_rank() over (order by o.refunded_id) as place
      from unnest(refunded_ids) with ordinality o(refunded_id, at)
  ), found as (
    select w.place, spent.amount - coalesce(returned.amount, 0) as rest
      from (select distinct refunded_id, place from wanted where refunded_id is not null) w
      left join lateral (select amount from transfers where id = w.refunded_id limit 1) spent on true
      left join lateral (select sum(amount)::bigint as amount from transfers where refunded_id = w.refunded_id) returned on true
  )
  select (select array_agg(case when refunded_id is not null then place end order by at) from wanted)::integer[],
         array_agg(found.rest order by place)
    into places, rest
    from found;
end $$;

-- The remainder of each daily limit of the batch (D-100), and the position of each order's limit. If the person has set
-- none, the limit of an agent's order counts what tools have moved (D-156).
create or replace function find_allowances(
  moment timestamptz, found_ids uuid[], limited boolean[], from_at integer[], app_ids uuid[], count_to_limit boolean[],
  limited_kinds text[], agent_limits bigint[], out places integer[], out rest bigint[]
) language plpgsql stable as $$
begin
  with asked as (
    select o.at, o.app_id, o.f, bound.daily_limit, case when bound.daily_limit is null then o.agent_limit end as agent_limit
      from unnest(from_at, app_ids, count_to_limit, agent_limits) with ordinality o(f, app_id, counts, agent_limit, at)
      left join lateral (
        select daily_limit from spending_limits where limited[o.f] and user_id = found_ids[o.f] and app_id = o.app_id limit 1
      ) bound on true
     where (limited[o.f] or o.agent_limit is not null) and o.counts and o.app_id is not null
  ), wanted as (
    select *, dense_rank() over (order by f, app_id, agent_limit) as place
      from asked where daily_limit is not null or agent_limit is not null
  ), found as (
    select w.place,
           coalesce(w.daily_limit - coalesce(moved.amount, 0) - coalesce(open.amount, 0), w.agent_limit - coalesce(by_agent.amount, 0)) as rest
      from (select distinct wanted.f, wanted.app_id, wanted.daily_limit, wanted.agent_limit, wanted.place from wanted) w
      left join lateral (
        select sum(m.amount)::bigint as amount from transfers m
         where w.daily_limit is not null and m.from_account = found_ids[w.f] and m.app_id = w.app_id
           and m.kind = any(limited_kinds) and m.inserted_at > moment - interval '1 day'
           and m.seq > coalesce((
             select earlier.seq from transfers earlier
              where earlier.from_account = found_ids[w.f] and earlier.inserted_at <= moment - interval '25 hours'
              order by earlier.seq desc limit 1), 0)
      ) moved on true
      left join lateral (
        select sum(h.amount)::bigint as amount from holds h
         where w.daily_limit is not null and h.user_id = found_ids[w.f] and h.app_id = w.app_id and h.status = 'open'
      ) open on true
      left join lateral (
        select sum(a.amount)::bigint as amount from agent_transfers a
         where w.agent_limit is not null and a.user_id = found_ids[w.f] and a.app_id = w.app_id
           and a.inserted_at > moment - interval '1 day'
      ) by_agent on true
  )
  select (select array_agg(w.place order by o.at)
            from generate_subscripts(from_at, 1) o(at) left join wanted w on w.at = o.at)::integer[],
         array_agg(found.rest order by place)
    into places, rest
    from found;
end $$;

-- The remainder of the daily limit of each account of the batch that pays out (D-132); null without a limit, and for
-- other accounts.
create or replace function payout_rests_at(
  moment timestamptz, found_ids uuid[], from_at integer[], pays_out boolean[], payout_limits bigint[]
) returns bigint[] language plpgsql stable as $$
declare
  rests bigint[] := array_fill(null::bigint, array[cardinality(found_ids)]);
  payer record;
begin
  for payer in
    select o.f, coalesce((select payout_limit from oauth_apps where id = found_ids[o.f]), min(o.own)) as points
      from unnest(from_at, pays_out, payout_limits) o(f, pays_out, own)
     where o.pays_out and o.f is not null
     group by o.f
  loop
    if payer.points is not null then
      rests[payer.f] := payer.points - coalesce((
        select sum(amount) from transfers
         where from_account = found_ids[payer.f] and seq >= transfer_seq_at(moment - interval '25 hours') and kind = 'payout'
           and inserted_at > moment - interval '1 day'), 0);
    end if;
  end loop;
  return rests;
end $$;

-- Whether the transfer with this id was made at this number or later; false for null.
create or replace function is_transfer_since(p_id uuid, since_seq bigint) returns boolean language sql stable as $$
  select exists (select from transfers where id = p_id and seq >= since_seq)
$$;

-- The balance of an app before this movement, less everything that left it since except refunds of later spends: points
-- earned since then stay in the app. Movements out are few compared with spends.
create or replace function payable_of(p_app_id uuid, since_seq bigint) returns bigint
language plpgsql stable set enable_seqscan = off as $$
declare
  balance bigint;
begin
  select points into balance
    from ((select seq, from_after as points from transfers where from_account = p_app_id and seq < since_seq order by seq desc limit 1)
          union all
          (select seq, to_after from transfers where to_account = p_app_id and seq < since_seq order by seq desc limit 1)) before
   order by seq desc limit 1;
  return coalesce(balance, 0) - coalesce((
    select sum(t.amount) from transfers t
     where t.from_account = p_app_id and t.seq >= since_seq and not is_transfer_since(t.refunded_id, since_seq)), 0);
end $$;

-- The points that each account of the batch may pay out (D-131); null for an account without such orders.
create or replace function payables_at(found_ids uuid[], from_at integer[], earned_before timestamptz[], since_seq bigint)
returns bigint[] language sql stable as $$
  select array_agg(case when exists (select from unnest(from_at, earned_before) o(f, before) where o.f = a.at and o.before is not null)
                        then payable_of(a.id, since_seq) end order by a.at)
    from unnest(found_ids) with ordinality a(id, at)
$$;

-- Notifies the apps that follow people of a batch (D-111): of the balance, once per person, and of each hold. Called by
-- `apply_orders_fully` under the locks of the accounts, after the holds are written.
create or replace function record_point_moves(
  moment timestamptz, account_ids uuid[], account_kinds text[], listened boolean[], ids uuid[], effects text[], from_at integer[],
  to_at integer[], outcomes text[], hold_ids uuid[]
) returns void language plpgsql as $$
begin
  perform pg_notify('plaza_events', 'points ' || w.user_id)
     from (
       with person as (
         select a.id as user_id, a.at
           from unnest(account_ids, account_kinds, listened) with ordinality a(id, kind, is_listened, at)
          where a.kind = 'user' and a.is_listened
       ), applied as (
         select o.f, o.t from unnest(from_at, to_at, outcomes) o(f, t, outcome) where o.outcome = 'applied'
       )
       select user_id from person p where exists (select from applied o where o.f = p.at or o.t = p.at)
     ) w;
  if not found then
    return;
  end if;
  insert into point_changes (user_id, app_id, hold_id, inserted_at)
  select account_ids[c.at], c.app_id, c.hold_id, moment
    from (
      select distinct e.at, null::uuid as app_id, null::uuid as hold_id, 0 as place
        from unnest(from_at, to_at, outcomes) o(f, t, outcome)
       cross join lateral unnest(array[o.f, o.t]) e(at)
       where o.outcome = 'applied'
      union all
      select o.f, h.app_id, h.id, o.at
        from unnest(ids, effects, from_at, outcomes, hold_ids) with ordinality o(id, effect, f, outcome, hold_id, at)
       cross join lateral (select id, app_id from holds where id = coalesce(o.hold_id, o.id) limit 1) h
       where o.outcome = 'applied' and o.effect <> 'move'
    ) c
   where account_kinds[c.at] = 'user' and listened[c.at]
   order by c.at, c.place;
end $$;

-- The first `seq` of a hold of this app, or else of this person, at or after this time, allowing for clock differences;
-- null for null. A search of log n steps over the index of the app's or the person's holds.
create or replace function hold_seq_at(p_app_id uuid, p_user_id uuid, moment timestamptz) returns bigint
language plpgsql stable set enable_seqscan = off as $$
declare
  low bigint := 1;
  high bigint;
  middle bigint;
  found holds;
begin
  if moment is null then
    return null;
  end if;
  if p_app_id is null then
    select seq + 1 into high from holds where user_id = p_user_id order by seq desc limit 1;
  else
    select seq + 1 into high from holds where app_id = p_app_id order by seq desc limit 1;
  end if;
  high := coalesce(high, 1);
  while low < high loop
    middle := low + (high - low) / 2;
    if p_app_id is null then
      select * into found from holds where user_id = p_user_id and seq >= middle order by seq limit 1;
    else
      select * into found from holds where app_id = p_app_id and seq >= middle order by seq limit 1;
    end if;
    if found.inserted_at >= moment then
      high := middle;
    else
      low := found.seq + 1;
    end if;
  end loop;
  return low;
end $$;

-- A lower bound for the `seq` of this app's open holds: none is older than the longest hold that ends with the next one
-- to expire, allowing an hour for clock differences. Null if no hold is open.
create or replace function open_holds_from_seq(p_app_id uuid, expires_in_max_seconds integer) returns bigint
language sql stable set enable_seqscan = off as $$
  select hold_seq_at(p_app_id, null,
                     (select min(expires_at) from holds where status = 'open')
                       - make_interval(secs => expires_in_max_seconds) - interval '1 hour')
$$;

-- The first `seq` of a transfer at or after this time, allowing for clock differences; null for null. A search of log n
-- steps over the primary key: `seq` grows with time.
create or replace function transfer_seq_at(moment timestamptz) returns bigint
language plpgsql stable as $$
declare
  low bigint := 1;
  high bigint;
  middle bigint;
  found transfers;
begin
  if moment is null then
    return null;
  end if;
  select seq + 1 into high from transfers order by seq desc limit 1;
  high := coalesce(high, 1);
  while low < high loop
    middle := low + (high - low) / 2;
    select * into found from transfers where seq >= middle order by seq limit 1;
    if found.inserted_at >= moment then
      high := middle;
    else
      low := found.seq + 1;
    end if;
  end loop;
  return low;
end $$;

-- A transfer as one of its two accounts sees it, or the app that made it between two people. `user_id` is the person: for a refund, the
-- one who made the spend.
create or replace function app_side_of(
  p_app_id uuid, from_account uuid, to_account uuid, from_after bigint, to_after bigint, refunded_id uuid
) returns table (direction text, points_after bigint, user_id uuid, to_user_id uuid)
language sql stable as $$
  select case when from_account = p_app_id then 'out' when to_account = p_app_id then 'in' else 'between' end,
         case when from_account = p_app_id then from_after when to_account = p_app_id then to_after end,
         case when from_account <> p_app_id then from_account
              else coalesce((select t.from_account from transfers t where t.id = $6 limit 1), to_account) end,
         case when from_account <> p_app_id and to_account <> p_app_id then to_account end
$$;
