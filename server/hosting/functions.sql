-- A page of the deployments that are not destroyed, in order of id. It walks the index and ends with the page; a plan that
-- sorts would read all of them.
create or replace function live_deployments(p_after uuid, p_rows_max integer)
returns setof uuid
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
  select d.id from deployments d
   where d.status <> 'destroyed' and d.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
   order by d.id
   limit p_rows_max;
end $$;
