create or replace trigger transfers_are_immutable before update or delete or truncate on transfers
  for each statement execute function refuse_change();

-- Applies a batch of transfers in order, in one transaction, and answers the outcome of each: applied, replayed, key_reused,
-- insufficient_points, unknown_account or limit_reached. A refused transfer changes nothing, and the others of the batch are
-- applied. `account_ids` are the accounts of the whole batch, descending and each once; `from_at` and `to_at` are positions
-- in it. Lock order: accounts by descending id, so batches of several processes cannot deadlock; system accounts, from which
-- all awards are paid, are last, so an award that waits for its user's account does not block other awards. Idempotency keys
-- are looked up under the lock of their user's account, so no key is applied twice.
create or replace function apply_transfers(
  moment timestamptz, account_ids uuid[],
  ids uuid[], kinds text[], from_at integer[], to_at integer[], amounts bigint[],
  app_ids uuid[], descriptions text[], keys text[], request_hashes bytea[]
) returns table (outcome text, transfer_id uuid, from_after bigint, to_after bigint)
language plpgsql as $$
declare
  found_ids uuid[];
  kinds_of_account text[];
  credits bigint[];
  debits bigint[];
  outcomes text[] := array_fill('applied'::text, array[cardinality(ids)]);
  transfer_ids uuid[] := ids;
  from_afters bigint[] := array_fill(null::bigint, array[cardinality(ids)]);
  to_afters bigint[] := array_fill(null::bigint, array[cardinality(ids)]);
  -- For the key of each order: what an earlier batch stored; the order before it in this batch with the same key; and the
  -- one of those that was applied.
  stored_hashes bytea[];
  stored_transfers uuid[];
  stored_points bigint[];
  same_before integer[];
  applied_at integer[] := array_fill(null::integer, array[cardinality(ids)]);
  has_keys constant boolean := cardinality(array_remove(keys, null)) > 0;
  f integer;
  t integer;
  e integer;
begin
  select array_agg(a.id), array_agg(a.kind), array_agg(a.credited), array_agg(a.debited)
    into found_ids, kinds_of_account, credits, debits
    from (select * from point_accounts where id = any(account_ids) order by id desc for no key update) a;
  if found_ids is distinct from account_ids then
    -- An account does not exist, or the caller sorts differently: positions in account_ids become positions in found_ids, or null.
    select array_agg(array_position(found_ids, account_ids[p.at]) order by p.n) into from_at
      from unnest(from_at) with ordinality p(at, n);
    select array_agg(array_position(found_ids, account_ids[p.at]) order by p.n) into to_at
      from unnest(to_at) with ordinality p(at, n);
  end if;

  if has_keys then
    select array_agg(stored.request_hash order by b.at), array_agg(stored.transfer_id order by b.at),
           array_agg(stored.points order by b.at), array_agg(b.before order by b.at)
      into stored_hashes, stored_transfers, stored_points, same_before
      from (select o.*, lag(o.at) over (partition by o.f, o.app_id, o.kind, o.key order by o.at) as before
              from unnest(from_at, app_ids, kinds, keys) with ordinality o(f, app_id, kind, key, at)) b
      -- The limit forces one index lookup per key: a join would read a small table as a whole, and keep that plan as it grows.
      left join lateral (
        select * from idempotency_keys k
         where k.user_id = found_ids[b.f] and k.app_id = b.app_id and k.operation = b.kind and k.key = b.key
         limit 1
      ) stored on true;
  end if;

  for i in 1 .. cardinality(ids) loop
    f := from_at[i];
    t := to_at[i];
    if keys[i] is not null and f is not null then
      if stored_hashes[i] is not null then
        outcomes[i] := case when stored_hashes[i] = request_hashes[i] then 'replayed' else 'key_reused' end;
        transfer_ids[i] := stored_transfers[i];
        from_afters[i] := stored_points[i];
        continue;
      end if;
      e := same_before[i];
      if outcomes[e] <> 'applied' then
        e := applied_at[e];
      end if;
      applied_at[i] := e;
      if e is not null then
        outcomes[i] := case when request_hashes[e] = request_hashes[i] then 'replayed' else 'key_reused' end;
        transfer_ids[i] := ids[e];
        from_afters[i] := from_afters[e];
        continue;
      end if;
    end if;
    if f is null or t is null or (kinds[i] = 'transfer' and kinds_of_account[t] <> 'user') then
      outcomes[i] := 'unknown_account';
    elsif kinds_of_account[f] <> 'system' and credits[f] - debits[f] < amounts[i] then
      outcomes[i] := 'insufficient_points';
    elsif credits[t] > (case when kinds_of_account[t] = 'system' then 9223372036854775807 else 9007199254740991 end) - amounts[i]
       or debits[f] > 9223372036854775807 - amounts[i] then
      outcomes[i] := 'limit_reached';
    else
      debits[f] := debits[f] + amounts[i];
      credits[t] := credits[t] + amounts[i];
      from_afters[i] := credits[f] - debits[f];
      to_afters[i] := credits[t] - debits[t];
    end if;
  end loop;

  if has_keys then
    insert into idempotency_keys (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
    select found_ids[b.f], b.app_id, b.kind, b.key, b.request_hash, b.id, b.from_after, moment
      from unnest(ids, kinds, from_at, from_afters, app_ids, keys, request_hashes, outcomes)
           b(id, kind, f, from_after, app_id, key, request_hash, outcome)
     where b.outcome = 'applied' and b.key is not null;
  end if;
  insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, app_id, description, inserted_at)
  select b.id, b.kind, found_ids[b.f], found_ids[b.t], b.amount, b.from_after, b.to_after, b.app_id, b.description, moment
    from unnest(ids, kinds, from_at, to_at, amounts, from_afters, to_afters, app_ids, descriptions, outcomes)
         with ordinality b(id, kind, f, t, amount, from_after, to_after, app_id, description, outcome, at)
   where b.outcome = 'applied'
   order by b.at;
  update point_accounts a
     set credited = n.credited, debited = n.debited
    from unnest(found_ids, credits, debits) n(id, credited, debited)
   where a.id = n.id and (a.credited, a.debited) is distinct from (n.credited, n.debited);

  return query select * from unnest(outcomes, transfer_ids, from_afters, to_afters);
end $$;
