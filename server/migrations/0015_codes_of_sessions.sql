-- Issues authorization codes in order, and notes that their users authorized the apps: a connection's scopes add up while it
-- lasts and begin anew after a disconnect. Tells for each whether it was issued: none is once its login session has
-- ended, or its user is suspended. Whoever ends the sessions of a user and voids the codes changes the user's row first:
-- the lock makes that come before, and is seen by the second statement, or wait and void these codes too.
-- Users and connections are locked in key order, so batches of several processes cannot deadlock.
create function issue_codes(
  moment timestamptz, expires_at timestamptz, code_hashes bytea[], user_ids uuid[], session_ids uuid[], app_ids uuid[],
  scope_lists text[], redirect_uris text[], code_challenges text[], approval_epochs integer[]
) returns table (issued boolean)
language plpgsql as $$
begin
  perform 1 from users u where u.id = any(user_ids) order by u.id for share;

  return query
    with asked as (
      select i.*, s.id is not null and u.id is not null as admitted
        from unnest(code_hashes, user_ids, session_ids, app_ids, scope_lists, redirect_uris, code_challenges, approval_epochs)
             with ordinality
             i(code_hash, user_id, session_id, app_id, scope_list, redirect_uri, code_challenge, approval_epoch, at)
        left join login_sessions s on s.id = i.session_id and s.user_id = i.user_id and s.ended_at is null
        left join users u on u.id = i.user_id and u.suspended_at is null
    ), connected as (
      insert into connections as c (user_id, app_id, scopes, connected_at)
      select a.user_id, a.app_id, array_agg(distinct scope), moment
        from asked a, unnest(string_to_array(a.scope_list, ' ')) scope
       where a.admitted
       group by a.user_id, a.app_id
       order by a.user_id, a.app_id
      on conflict (user_id, app_id) do update
         set scopes = case when c.disconnected_at is null
                           then array(select distinct unnest(c.scopes || excluded.scopes)) else excluded.scopes end,
             connected_at = case when c.disconnected_at is null then c.connected_at else excluded.connected_at end,
             disconnected_at = null
    ), written as (
      insert into authorization_codes
        (code_hash, user_id, app_id, scopes, redirect_uri, code_challenge, approval_epoch, inserted_at, expires_at)
      select a.code_hash, a.user_id, a.app_id, string_to_array(a.scope_list, ' '), a.redirect_uri, a.code_challenge,
             a.approval_epoch, moment, issue_codes.expires_at
        from asked a
       where a.admitted
    )
    select a.admitted from asked a order by a.at;
end $$;
