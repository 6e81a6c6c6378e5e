-- Applies a batch of transfers in order, in one transaction, and tells for each what became of it:
-- applied, replayed, key_reused, insufficient_points, unknown_account or limit_reached.
-- A refused transfer changes nothing and does not disturb its neighbours. `account_ids` are the accounts of the whole
-- batch, descending and each once; `from_at` and `to_at` are positions in it. Accounts are locked in this order, so batches
-- of several processes cannot deadlock; system accounts, on which all awards meet, come last, so that an award which waits
-- for its user's account keeps no other award waiting. Keys are looked up under the lock of their user's account, so none is
-- applied twice.
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
  earlier idempotency_keys;
  f integer;
  t integer;
begin
  select array_agg(a.id), array_agg(a.kind), array_agg(a.credited), array_agg(a.debited)
    into found_ids, kinds_of_account, credits, debits
    from (select * from point_accounts where id = any(account_ids) order by id desc for no key update) a;
  if found_ids is distinct from account_ids then
    -- Some account does not exist, or the caller sorts otherwise: positions among all become positions among those found, null for the others.
    select array_agg(array_position(found_ids, account_ids[p.at]) order by p.n) into from_at
      from unnest(from_at) with ordinality p(at, n);
    select array_agg(array_position(found_ids, account_ids[p.at]) order by p.n) into to_at
      from unnest(to_at) with ordinality p(at, n);
  end if;

  for i in 1 .. cardinality(ids) loop
    f := from_at[i];
    t := to_at[i];
    if keys[i] is not null and f is not null then
      select * into earlier from idempotency_keys k
       where k.user_id = found_ids[f] and k.app_id = app_ids[i] and k.operation = kinds[i] and k.key = keys[i];
      if found then
        outcomes[i] := case when earlier.request_hash = request_hashes[i] then 'replayed' else 'key_reused' end;
        transfer_ids[i] := earlier.transfer_id;
        from_afters[i] := earlier.points;
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
      if keys[i] is not null then
        insert into idempotency_keys (user_id, app_id, operation, key, request_hash, transfer_id, points, inserted_at)
        values (found_ids[f], app_ids[i], kinds[i], keys[i], request_hashes[i], ids[i], from_afters[i], moment);
      end if;
    end if;
  end loop;

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
