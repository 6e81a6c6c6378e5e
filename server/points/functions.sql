create or replace trigger transfers_are_immutable before delete or truncate on transfers
  for each statement execute function refuse_change();

-- The only change of a transfer is that it loses its texts: somebody left (D-106).
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

-- Applies a batch of orders in order, in one transaction, and answers the outcome of each: applied, replayed, key_reused,
-- insufficient_points, unknown_account, limit_reached, spending_limit_reached,
-- hold_settled or refund_exceeds_spend. A refused order changes nothing, and the others of the batch are applied. The answer is one
-- row of arrays, since a row for each order is dearer to make and to read: what is available to the accounts after each order,
-- what the first one holds after a hold, and where there are keys, the transfer or hold that each order made now or earlier.
--
-- A kind of transfer moves points; `hold` sets points of `from` aside for `to` under the order's id, `capture` moves `amount` of
-- the hold `hold_ids[i]` and frees the rest, `void` and the other reasons of a release free it. A refund moves points back from
-- the receiver of the transfer `refunded_ids[i]`.
--
-- An array of keys, references, metadata, holds, refunded transfers or expiries that would hold nothing but nulls is null itself.
--
-- `account_ids` are the accounts of the whole batch, descending and each once; `from_at` and `to_at` are positions
-- in it. Lock order: accounts by descending id, so batches of several processes cannot deadlock; system accounts, from which
-- all awards are paid, are last, so an award that waits for its user's account does not block other awards. Idempotency keys
-- are looked up under the lock of the account that owns them, holds under that of their user, and the refunds of a spend under
-- that of the app that received it: so no key is applied twice, a hold has one outcome, and refunds never exceed their spend.
-- Whoever writes holds and refunds does so here.
--
-- A closed account gets nothing (D-106): a transfer, spend, hold or capture for it has the outcome unknown_account, and whatever else
-- is meant for it, such as a refund, goes to the system account of those who left.
--
-- Each expression costs a batch its preparation, whatever it says: what nearly no batch needs stands behind `is_plain`.
create or replace function apply_orders(
  moment timestamptz, account_ids uuid[],
  ids uuid[], kinds text[], from_at integer[], to_at integer[], amounts bigint[],
  app_ids uuid[], descriptions text[], keys text[], request_hashes bytea[],
  reference_texts text[], metadatas text[], hold_ids uuid[], refunded_ids uuid[], expiries timestamptz[],
  out outcomes text[], out transfer_ids uuid[], out from_availables bigint[], out to_availables bigint[], out from_helds bigint[]
) language plpgsql as $$
declare
  found_ids uuid[];
  kinds_of_account text[];
  credits bigint[];
  debits bigint[];
  holding bigint[];
  -- Null where no account of the batch has any of these, as in nearly every batch.
  limited boolean[];
  listened boolean[];
  closed boolean[];
  is_special boolean;
  -- Whether nothing but points moves, without keys, limits and events: nearly every batch.
  is_plain boolean;
  -- What the account has in all after the order, for the row of the transfer: more by what it holds than what it has available.
  -- Only a batch that changes what is held needs to note it.
  from_afters bigint[];
  to_afters bigint[];
  -- For the key of each order: what an earlier batch stored; the order before it in this batch with the same key; and the
  -- one of those that was applied.
  stored_hashes bytea[];
  stored_transfers uuid[];
  stored_points bigint[];
  same_before integer[];
  applied_at integer[];
  -- Only a hold expires, and only what settles one names it.
  has_holds constant boolean := num_nonnulls(hold_ids, expiries) > 0;
  -- The state of the holds and refunded spends of the batch, and for each order its place among them.
  hold_open boolean[];
  hold_amounts bigint[];
  hold_expiries timestamptz[];
  holds_at integer[];
  refundable bigint[];
  spends_at integer[];
  -- What each limit of the batch leaves, and for each order its place among them.
  allowances bigint[];
  limits_at integer[];
  -- Whether the order captures or releases a hold, and whether points move from one account to the other.
  settles boolean := false;
  moves boolean := true;
  refusal text;
  f integer;
  t integer;
  e integer;
begin
  select array_agg(a.id), array_agg(a.kind), array_agg(a.credited), array_agg(a.debited), array_agg(a.held),
         bool_or(a.limited or a.listened or a.closed)
    into found_ids, kinds_of_account, credits, debits, holding, is_special
    from (select * from point_accounts where id = any(account_ids) order by id desc for no key update) a;
  if found_ids is distinct from account_ids then
    -- An account does not exist, or the caller sorts differently: positions in account_ids become positions in found_ids, or null.
    select array_agg(array_position(found_ids, account_ids[p.at]) order by p.n) into from_at
      from unnest(from_at) with ordinality p(at, n);
    select array_agg(array_position(found_ids, account_ids[p.at]) order by p.n) into to_at
      from unnest(to_at) with ordinality p(at, n);
  end if;
  outcomes := array_fill('applied'::text, array[cardinality(ids)]);
  from_availables := array_fill(null::bigint, array[cardinality(ids)]);
  to_availables := from_availables;
  is_plain := num_nonnulls(keys, refunded_ids) = 0 and not has_holds and is_special is not true;

  if is_special then
    select array_agg(a.limited order by a.id desc), array_agg(a.listened order by a.id desc), array_agg(a.closed order by a.id desc)
      into limited, listened, closed
      from point_accounts a where a.id = any(found_ids);
    if true = any(closed) then
      select array_agg(case when closed[o.t] and o.kind not in ('transfer', 'spend', 'hold', 'capture', 'closure')
                              and o.kind not in ('voided', 'expired', 'disconnected', 'approval_withdrawn')
                            then coalesce(array_position(found_ids, '00000000-0000-7000-8000-000000000000'), cardinality(found_ids) + 1)
                            else o.t end order by o.at)
        into to_at
        from unnest(to_at, kinds) with ordinality o(t, kind, at);
      if cardinality(found_ids) + 1 = any(to_at) then
        declare
          departed point_accounts;
        begin
          select * into departed from point_accounts where id = '00000000-0000-7000-8000-000000000000' for no key update;
          found_ids := found_ids || departed.id;
          kinds_of_account := kinds_of_account || departed.kind;
          credits := credits || departed.credited;
          debits := debits || departed.debited;
          holding := holding || departed.held;
          limited := limited || departed.limited;
          listened := listened || departed.listened;
          closed := closed || departed.closed;
        end;
      end if;
    end if;
    if true = any(limited) then
      with wanted as (
        select o.at, o.app_id, o.f, dense_rank() over (order by o.f, o.app_id) as place
          from unnest(from_at, app_ids, kinds) with ordinality o(f, app_id, kind, at)
         where limited[o.f] and o.app_id is not null
           and o.kind = any(array['spend', 'transfer', 'hold', 'capture', 'voided', 'expired', 'disconnected', 'approval_withdrawn'])
      ), found as (
        select w.place, bound.daily_limit - coalesce(moved.amount, 0) - coalesce(open.amount, 0) as rest
          from (select distinct wanted.f, wanted.app_id, wanted.place from wanted) w
          left join lateral (
            select daily_limit from spending_limits where user_id = found_ids[w.f] and app_id = w.app_id limit 1
          ) bound on true
          left join lateral (
            select sum(m.amount)::bigint as amount from transfers m
             where bound.daily_limit is not null and m.from_account = found_ids[w.f] and m.app_id = w.app_id
               and m.kind in ('spend', 'transfer') and m.inserted_at > moment - interval '1 day'
               and m.seq > coalesce((
                 select earlier.seq from transfers earlier
                  where earlier.from_account = found_ids[w.f] and earlier.inserted_at <= moment - interval '25 hours'
                  order by earlier.seq desc limit 1), 0)
          ) moved on true
          left join lateral (
            select sum(h.amount)::bigint as amount from holds h
             where bound.daily_limit is not null and h.user_id = found_ids[w.f] and h.app_id = w.app_id and h.status = 'open'
          ) open on true
      )
      select (select array_agg(w.place order by o.at)
                from generate_subscripts(ids, 1) o(at) left join wanted w on w.at = o.at),
             (select array_agg(rest order by place) from found)
        into limits_at, allowances;
    end if;
  end if;

  if keys is not null then
    transfer_ids := ids;
    applied_at := array_fill(null::integer, array[cardinality(ids)]);
    select array_agg(stored.request_hash order by b.at), array_agg(stored.transfer_id order by b.at),
           array_agg(stored.points order by b.at), array_agg(b.before order by b.at)
      into stored_hashes, stored_transfers, stored_points, same_before
      from (select o.*, lag(o.at) over (partition by o.owner, o.app_id, o.kind, o.key order by o.at) as before
              from (select case when p.kind in ('capture', 'voided') then p.t else p.f end as owner, p.*
                      from unnest(from_at, to_at, app_ids, kinds, keys) with ordinality p(f, t, app_id, kind, key, at)) o) b
      -- The limit forces one index lookup per key: a join would read a small table as a whole, and keep that plan as it grows.
      left join lateral (
        select * from idempotency_keys k
         where k.user_id = found_ids[b.owner] and k.app_id = b.app_id and k.operation = b.kind and k.key = b.key
         limit 1
      ) stored on true;
  end if;

  if has_holds then
    from_helds := array_fill(null::bigint, array[cardinality(ids)]);
    from_afters := from_helds;
    to_afters := from_helds;
    with wanted as (
      select o.at, o.hold_id, dense_rank() over (order by o.hold_id) as place
        from unnest(hold_ids) with ordinality o(hold_id, at)
    ), found as (
      select w.place, h.status = 'open' as is_open, h.amount, h.expires_at
        from (select distinct hold_id, place from wanted where hold_id is not null) w
        left join lateral (select * from holds where id = w.hold_id limit 1) h on true
    )
    select (select array_agg(case when hold_id is not null then place end order by at) from wanted),
           array_agg(is_open order by place), array_agg(amount order by place), array_agg(expires_at order by place)
      into holds_at, hold_open, hold_amounts, hold_expiries
      from found;
  end if;

  if refunded_ids is not null then
    with wanted as (
      select o.at, o.refunded_id, dense_rank() over (order by o.refunded_id) as place
        from unnest(refunded_ids) with ordinality o(refunded_id, at)
    ), found as (
      select w.place, spent.amount - coalesce(returned.amount, 0) as rest
        from (select distinct refunded_id, place from wanted where refunded_id is not null) w
        left join lateral (select amount from transfers where id = w.refunded_id limit 1) spent on true
        left join lateral (select sum(amount)::bigint as amount from transfers where refunded_id = w.refunded_id) returned on true
    )
    select (select array_agg(case when refunded_id is not null then place end order by at) from wanted),
           array_agg(rest order by place)
      into spends_at, refundable
      from found;
  end if;

  for i in 1 .. cardinality(ids) loop
    f := from_at[i];
    t := to_at[i];
    if not is_plain then
      if keys[i] is not null and (case when kinds[i] in ('capture', 'voided') then t else f end) is not null then
        if stored_hashes[i] is not null then
          outcomes[i] := case when stored_hashes[i] = request_hashes[i] then 'replayed' else 'key_reused' end;
          transfer_ids[i] := stored_transfers[i];
          from_availables[i] := stored_points[i];
          continue;
        end if;
        e := same_before[i];
        if outcomes[e] <> 'applied' then
          e := applied_at[e];
        end if;
        applied_at[i] := e;
        if e is not null then
          outcomes[i] := case when request_hashes[e] = request_hashes[i] then 'replayed' else 'key_reused' end;
          transfer_ids[i] := transfer_ids[e];
          from_availables[i] := from_availables[e];
          continue;
        end if;
      end if;
      settles := holds_at[i] is not null;
      moves := kinds[i] = 'capture' or not (settles or kinds[i] = 'hold');
      refusal := case
        when f is null or t is null or (closed[t] and kinds[i] in ('transfer', 'spend', 'hold', 'capture')) then 'unknown_account'
        when settles and (hold_open[holds_at[i]] is not true
          or (kinds[i] in ('capture', 'voided') and hold_expiries[holds_at[i]] <= moment)
          or (kinds[i] = 'capture' and hold_amounts[holds_at[i]] < amounts[i])) then 'hold_settled'
        when spends_at[i] is not null and coalesce(refundable[spends_at[i]], 0) < amounts[i] then 'refund_exceeds_spend'
      end;
    end if;
    -- The checks that every order passes come after those above.
    refusal := coalesce(refusal, case
      when f is null or t is null or (kinds[i] = 'transfer' and kinds_of_account[t] <> 'user') then 'unknown_account'
      when not settles and kinds_of_account[f] <> 'system' and credits[f] - debits[f] - holding[f] < amounts[i] then 'insufficient_points'
      when not settles and allowances[limits_at[i]] < amounts[i] then 'spending_limit_reached'
      when moves and (credits[t] > (case when kinds_of_account[t] = 'system' then 9223372036854775807
                                         else 9007199254740991 end) - amounts[i]
                      or debits[f] > 9223372036854775807 - amounts[i]) then 'limit_reached'
    end);
    if refusal is not null then
      outcomes[i] := refusal;
      refusal := null;
      continue;
    end if;
    if moves then
      debits[f] := debits[f] + amounts[i];
      credits[t] := credits[t] + amounts[i];
    end if;
    if not is_plain then
      if allowances[limits_at[i]] is not null then
        -- An open hold counts in full. What settles it leaves what was captured.
        allowances[limits_at[i]] := allowances[limits_at[i]] + case
          when settles then hold_amounts[holds_at[i]] - case kinds[i] when 'capture' then amounts[i] else 0 end
          else -amounts[i] end;
      end if;
      if spends_at[i] is not null then
        refundable[spends_at[i]] := refundable[spends_at[i]] - amounts[i];
      end if;
      if kinds[i] = 'hold' then
        holding[f] := holding[f] + amounts[i];
        from_helds[i] := holding[f];
      elsif settles then
        hold_open[holds_at[i]] := false;
        holding[f] := holding[f] - hold_amounts[holds_at[i]];
      end if;
      if has_holds and moves then
        from_afters[i] := credits[f] - debits[f];
        to_afters[i] := credits[t] - debits[t];
      end if;
    end if;
    from_availables[i] := credits[f] - debits[f] - holding[f];
    to_availables[i] := credits[t] - debits[t] - holding[t];
  end loop;

  if keys is not null then
    insert into idempotency_keys (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
    select found_ids[case when b.kind in ('capture', 'voided') then b.t else b.f end], b.app_id, b.kind, b.key, b.request_hash,
           b.id, b.points, moment
      from unnest(ids, kinds, from_at, to_at, from_availables, app_ids, keys, request_hashes, outcomes)
           b(id, kind, f, t, points, app_id, key, request_hash, outcome)
     where b.outcome = 'applied' and b.key is not null;
  end if;
  if num_nonnulls(reference_texts, metadatas, refunded_ids) = 0 and not has_holds then
    -- Nearly every batch. Three columns less are measured: 3 of 57 µs for each spend.
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at)
    select b.id, b.kind, found_ids[b.f], found_ids[b.t], b.amount, b.from_available + holding[b.f], b.to_available + holding[b.t],
           b.app_id, b.description, moment
      from unnest(ids, kinds, from_at, to_at, amounts, from_availables, to_availables, app_ids, descriptions, outcomes)
           with ordinality b(id, kind, f, t, amount, from_available, to_available, app_id, description, outcome, at)
     where b.outcome = 'applied'
     order by b.at;
  else
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at,
                           reference, metadata, hold_id, refunded_id)
    select b.id, case b.kind when 'capture' then 'spend' else b.kind end, found_ids[b.f], found_ids[b.t], b.amount,
           case when has_holds then b.from_after else b.from_available + holding[b.f] end,
           case when has_holds then b.to_after else b.to_available + holding[b.t] end,
           b.app_id, b.description, moment, b.reference, b.metadata::jsonb, b.hold_id, b.refunded_id
      from unnest(ids, kinds, from_at, to_at, amounts, from_availables, to_availables, from_afters, to_afters, app_ids, descriptions,
                  outcomes, reference_texts, metadatas, hold_ids, refunded_ids)
           with ordinality b(id, kind, f, t, amount, from_available, to_available, from_after, to_after, app_id, description,
                             outcome, reference, metadata, hold_id, refunded_id, at)
     where b.outcome = 'applied' and (not has_holds or b.from_after is not null)
     order by b.at;
  end if;
  if has_holds then
    insert into holds (id, user_id, app_id, amount, reference, metadata, inserted_at, expires_at)
    select b.id, found_ids[b.f], b.app_id, b.amount, b.reference, b.metadata::jsonb, moment, b.expires_at
      from unnest(ids, kinds, from_at, app_ids, amounts, outcomes, reference_texts, metadatas, expiries)
           b(id, kind, f, app_id, amount, outcome, reference, metadata, expires_at)
     where b.outcome = 'applied' and b.kind = 'hold';
    update holds h
       set status = case b.kind when 'capture' then 'captured' else 'released' end, settled_at = moment,
           captured_amount = case b.kind when 'capture' then b.amount end,
           transfer_id = case b.kind when 'capture' then b.id end,
           release_reason = case when b.kind <> 'capture' then b.kind end
      from unnest(ids, kinds, amounts, outcomes, hold_ids) b(id, kind, amount, outcome, hold_id)
     where b.outcome = 'applied' and b.kind <> 'hold' and h.id = b.hold_id;
  end if;
  update point_accounts a
     set credited = n.credited, debited = n.debited, held = n.held
    from unnest(found_ids, credits, debits, holding) n(id, credited, debited, held)
   where a.id = n.id and (a.credited, a.debited, a.held) is distinct from (n.credited, n.debited, n.held);

  if is_plain and not 'award' = any(kinds) then
    return;
  end if;
  -- The app of an award, and of a hold that is freed, is not among the accounts of the batch.
  if true = any(listened) or 'award' = any(kinds)
    or (has_holds and kinds && array['voided', 'expired', 'disconnected', 'approval_withdrawn']) then
    perform record_ledger_events(moment, found_ids, ids, kinds, from_at, to_at, app_ids, outcomes, hold_ids);
  end if;
  if true = any(listened) then
    perform record_point_changes(moment, found_ids, kinds_of_account, listened, ids, kinds, from_at, to_at, outcomes, hold_ids);
  end if;
end $$;

-- Writes what changed for people whom apps follow (D-111): the balance once for each, and each hold. Called by `apply_orders` under
-- the locks of the accounts, after the holds are written.
create or replace function record_point_changes(
  moment timestamptz, account_ids uuid[], account_kinds text[], listened boolean[], ids uuid[], kinds text[], from_at integer[],
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
         select o.* from unnest(ids, kinds, from_at, to_at, outcomes, hold_ids) with ordinality
                           o(id, kind, f, t, outcome, hold_id, at)
          where o.outcome = 'applied'
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
        from unnest(ids, kinds, from_at, outcomes, hold_ids) with ordinality o(id, kind, f, outcome, hold_id, at)
       cross join lateral (select id, app_id from holds where id = coalesce(o.hold_id, o.id) limit 1) h
       where o.outcome = 'applied' and o.kind in ('hold', 'capture', 'voided', 'expired', 'disconnected', 'approval_withdrawn')
    ) c
   where account_kinds[c.at] = 'user' and listened[c.at]
   order by c.at, c.place;
end $$;

-- Processes of 0.1 call this form.
create or replace function apply_transfers(
  moment timestamptz, account_ids uuid[],
  ids uuid[], kinds text[], from_at integer[], to_at integer[], amounts bigint[],
  app_ids uuid[], descriptions text[], keys text[], request_hashes bytea[]
) returns table (outcome text, transfer_id uuid, from_after bigint, to_after bigint)
language sql as $$
  select case r.outcome when 'spending_limit_reached' then 'insufficient_points' else r.outcome end, r.transfer_id, r.from_after, r.to_after
    from apply_orders(
           moment, account_ids, ids, kinds, from_at, to_at, amounts, app_ids, descriptions,
           nullif(keys, array_fill(null::text, array[cardinality(ids)])), request_hashes,
           null, null, null, null, null) o
   cross join unnest(o.outcomes, coalesce(o.transfer_ids, ids), o.from_availables, o.to_availables)
                r(outcome, transfer_id, from_after, to_after)
$$;

-- The first `seq` of a hold of this app, or else of this person, at this moment or later, give or take the difference of clocks; null
-- for null. A search of log n steps over the index of the app's holds, or of the person's.
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

-- A `seq` that no open hold of this app is below: none is older than the longest hold that ends as the next one of all does, give
-- or take an hour of difference of clocks. Null where no hold is open.
create or replace function open_holds_from_seq(p_app_id uuid, expires_in_max_seconds integer) returns bigint
language sql stable set enable_seqscan = off as $$
  select hold_seq_at(p_app_id, null,
                     (select min(expires_at) from holds where status = 'open')
                       - make_interval(secs => expires_in_max_seconds) - interval '1 hour')
$$;

-- The first `seq` of a transfer at this moment or later, give or take the difference of clocks; null for null. A search of log n
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
