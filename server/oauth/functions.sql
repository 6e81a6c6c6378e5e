-- Members of teams (D-134). If the team requires a second factor, a person without one has no rights in it.
create or replace view active_members as
select m.team_id, m.user_id, m.role, m.joined_at,
       t.require_second_factor and not exists (select from users u where u.id = m.user_id and u.totp_secret is not null)
         and not exists (select from passkey_second_factors f where f.user_id = m.user_id) as lacks_second_factor
  from team_members m join teams t on t.id = m.team_id;

-- Valid invitations: the member who invited still has the right to. Includes the person who has verified the address.
-- Only owners invite owners.
create or replace view open_invitations as
select i.id, i.team_id, t.name as team_name, i.email, i.role, inviter.username as invited_by_username, i.expires_at,
       invited.id as user_id, invited.language
  from team_invitations i
  join teams t on t.id = i.team_id
  join active_members m on m.team_id = i.team_id and m.user_id = i.invited_by and not m.lacks_second_factor
  join users inviter on inviter.id = i.invited_by and inviter.suspended_at is null
  left join users invited on lower(invited.email) = lower(i.email) and invited.email_verified
 where m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner');

-- Each person's role in each app: the role in the owning team, or `owner` for a personal owner.
create or replace view app_members as
select id as app_id, owner_id as user_id, 'owner'::text as role, false as lacks_second_factor
  from oauth_apps where team_id is null
union all
select a.id, m.user_id, m.role, m.lacks_second_factor
  from active_members m join oauth_apps a on a.team_id = m.team_id;

-- Offers of apps by people who still have the right to give them away.
create or replace view open_offers as
select o.app_id, a.app_name, o.to_user_id, o.offered_by, giver.username as offered_by_username, o.inserted_at, o.expires_at
  from app_offers o
  join oauth_apps a on a.id = o.app_id
  join app_members m on m.app_id = o.app_id and m.user_id = o.offered_by and m.role = 'owner' and not m.lacks_second_factor
  join users giver on giver.id = o.offered_by and giver.suspended_at is null;

-- Issues authorization codes in order and records the authorizations: a connection's scopes accumulate while it lasts
-- and start again after a disconnect; with a given origin, the consent itself is recorded. Returns for each whether it
-- was issued: not if the login session has ended or the user is suspended. Whatever ends a user's sessions and voids
-- the codes updates the user's row first: with this lock it either comes first, and the second statement sees it, or it
-- waits and voids these codes too. Lock order: users, sessions, connections, sign-ins and consents by key, so that
-- batches of several processes cannot deadlock.
create or replace function issue_authorization_codes(
  moment timestamptz, expires_at timestamptz, code_hashes bytea[], user_ids uuid[], session_ids uuid[], app_ids uuid[],
  scope_lists text[], redirect_uris text[], code_challenges text[], approval_epochs integer[],
  registered_uris text[], redirect_origins text[], app_names text[], openids boolean[], nonces text[],
  shown bytea[], jkts text[], resources text[]
) returns table (issued boolean)
language plpgsql as $$
begin
  perform 1 from users u where u.id = any(user_ids) order by u.id for share;
  -- The end of a sign-in's session also waits, and then sees the sign-ins at apps.
  perform 1 from login_sessions s where true = any(openids) and s.id = any(session_ids) order by s.id for share;

  return query
    with asked as (
      select i.*, s.id is not null and u.id is not null as admitted
        from unnest(code_hashes, user_ids, session_ids, app_ids, scope_lists, redirect_uris, code_challenges, approval_epochs,
                    registered_uris, jkts, resources)
             with ordinality
             i(code_hash, user_id, session_id, app_id, scope_list, redirect_uri, code_challenge, approval_epoch,
               registered_uri, jkt, resource, at)
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
        (code_hash, user_id, app_id, scopes, redirect_uri, registered_uri, code_challenge, approval_epoch, inserted_at,
         expires_at, jkt, resource)
      select a.code_hash, a.user_id, a.app_id, string_to_array(a.scope_list, ' '), a.redirect_uri, a.registered_uri,
             a.code_challenge, a.approval_epoch, moment, issue_authorization_codes.expires_at, a.jkt, a.resource
        from asked a
       where a.admitted
    )
    select a.admitted from asked a order by a.at;

  if true = any(openids) then
    with asked as materialized (
      select i.code_hash, i.nonce, s.id as session_id, s.user_id, s.inserted_at as auth_time, i.app_id
        from unnest(code_hashes, session_ids, app_ids, openids, nonces) i(code_hash, session_id, app_id, openid, nonce)
        join authorization_codes c on c.code_hash = i.code_hash
        join login_sessions s on s.id = i.session_id
       where i.openid
    ), signed_in as (
      insert into openid_sessions as o (session_id, app_id, user_id)
      select distinct a.session_id, a.app_id, a.user_id from asked a order by a.session_id, a.app_id
      on conflict (session_id, app_id) do update set user_id = excluded.user_id
      returning o.session_id, o.app_id, o.sid
    )
    insert into openid_codes (code_hash, auth_time, nonce, sid, expires_at)
    select a.code_hash, a.auth_time, a.nonce, o.sid, issue_authorization_codes.expires_at
      from asked a join signed_in o on o.session_id = a.session_id and o.app_id = a.app_id;
  end if;

  insert into consents as k (user_id, app_id, redirect_origin, scopes, app_name, approval_epoch, shown, inserted_at)
  select distinct on (c.user_id, c.app_id, i.redirect_origin, c.scopes)
         c.user_id, c.app_id, i.redirect_origin, c.scopes, i.app_name, c.approval_epoch, i.shown, moment
    from unnest(code_hashes, redirect_origins, app_names, issue_authorization_codes.shown)
         with ordinality i(code_hash, redirect_origin, app_name, shown, at)
    join authorization_codes c on c.code_hash = i.code_hash
   where i.redirect_origin is not null
   order by c.user_id, c.app_id, i.redirect_origin, c.scopes, i.at desc
  on conflict (user_id, app_id, redirect_origin, scopes) do update
     set app_name = excluded.app_name, approval_epoch = excluded.approval_epoch, shown = excluded.shown,
         inserted_at = excluded.inserted_at
   where (k.app_name, k.approval_epoch, k.shown) is distinct from (excluded.app_name, excluded.approval_epoch, excluded.shown);
end $$;

-- The last use of a connection. The exchange of a code is a use, which another process may not have written yet. Its
-- clock may have been ahead.
create or replace function last_use_of(p_user_id uuid, p_app_id uuid, written timestamptz, moment timestamptz) returns timestamptz
language sql stable as $$
  select greatest(written, max(least(g.inserted_at, moment)))
    from grants g where g.user_id = p_user_id and g.app_id = p_app_id and g.revoked_at is null
$$;

-- Keeps the approved data of an app whenever an admin approves it (D-110).
create or replace function remember_approved_app() returns trigger language plpgsql as $$
begin
  if new.status = 'approved' then
    new.approved_name := new.app_name;
    new.approved_description := new.app_description;
    new.approved_logo_url := new.logo_url;
    new.approved_website_url := new.website_url;
    new.approved_redirect_uris := new.redirect_uris;
  end if;
  return new;
end $$;

create or replace trigger remember_approved_app before update of status, decided_at on oauth_apps
  for each row execute function remember_approved_app();

-- An uploaded logo is deleted when the address that names it changes (D-165).
create or replace function drop_replaced_logo() returns trigger language plpgsql as $$
begin
  delete from pictures where owner_id = new.id;
  return null;
end $$;

create or replace trigger drop_replaced_logo after update of logo_url on oauth_apps
  for each row when (old.logo_url is distinct from new.logo_url) execute function drop_replaced_logo();

-- For each payout in a batch of orders, whether its recipient is connected to the app (D-130); null for other orders.
-- The recipients are positions in `account_ids`.
create or replace function connected_at(app_ids uuid[], account_ids uuid[], to_at integer[], pays_out boolean[]) returns boolean[]
language plpgsql stable as $$
begin
  return (
    select array_agg(case when o.pays_out then c.user_id is not null end order by o.at)
      from unnest(app_ids, to_at, pays_out) with ordinality o(app_id, t, pays_out, at)
      -- The limit forces one index lookup each: a join would scan the table while it is small, and keep that plan as it
      -- grows.
      left join lateral (
        select user_id from connections
         where o.pays_out and user_id = account_ids[o.t] and app_id = o.app_id and disconnected_at is null
           and not exists (select from users where id = account_ids[o.t] and suspended_at is not null)
         limit 1
      ) c on true);
end $$;

-- Fails unless each of these secrets exists and each of these apps is approved (D-120). The ledger calls it after
-- changing its rows: a failure rolls the changes back.
create or replace function require_clients(secret_ids uuid[], approved_app_ids uuid[]) returns boolean
language plpgsql as $$
begin
  if exists (select from unnest(secret_ids) given(id)
              where given.id is not null and (select s.id from app_secrets s where s.id = given.id) is null) then
    raise exception 'the secret of the caller has ended' using errcode = 'PZ001';
  end if;
  if exists (select from unnest(approved_app_ids) given(id)
              where given.id is not null and (select a.is_approved from oauth_apps a where a.id = given.id) is not true) then
    raise exception 'the approval of the caller has ended' using errcode = 'PZ002';
  end if;
  return true;
end $$;

-- Fails unless each of these people has the role in the app (D-134). The ledger calls it like `require_clients`.
create or replace function require_members(app_ids uuid[], user_ids uuid[], roles text[]) returns boolean
language plpgsql as $$
declare
  -- Each role includes those before it.
  member_roles constant text[] := '{viewer,developer,admin,owner}';
begin
  if exists (
    select from unnest(app_ids, user_ids, roles) given(app_id, user_id, role)
     where given.user_id is not null
       and (select array_position(member_roles, m.role) >= array_position(member_roles, given.role) and not m.lacks_second_factor
              from app_members m where m.app_id = given.app_id and m.user_id = given.user_id) is not true) then
    raise exception 'the caller no longer has the role in the app' using errcode = 'PZ003';
  end if;
  return true;
end $$;

-- Deployments move with their app to another owner.
create or replace function move_deployments() returns trigger language plpgsql as $$
begin
  update deployments set owner_id = new.owner_id where app_id = new.id and owner_id <> new.owner_id;
  return null;
end $$;

create or replace trigger move_deployments after update of owner_id on oauth_apps
  for each row when (old.owner_id <> new.owner_id) execute function move_deployments();
