-- Users who may be found, in the order in which a search shows them.
create index users_found on users (lower(username) text_pattern_ops) where suspended_at is null;

-- Walks that index from the prefix on and ends with the last row that is shown: what it reads is bounded by that, and by
-- the blocks around the viewer. A plan made on a young table would read all that begins so, for as long as it is kept.
-- The range is spelt out instead of `like`, so that no character is a wildcard. No name goes past the last code point.
create function search_users(p_viewer_id uuid, p_prefix text, p_rows_max integer)
returns table (id uuid, username text)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
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
   order by lower(u.username) using ~<~
   limit p_rows_max;
end $$;
