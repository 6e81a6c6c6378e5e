-- The newest refresh token of a grant is what the grant is found by when it goes. Where it was deleted already, while the
-- grant stayed, one that nobody holds and that is over takes its place. It is over only now: a process of before, which still
-- runs beside this, deletes such tokens a day after.
insert into refresh_tokens (token_hash, grant_id, inserted_at, expires_at)
select sha256(uuid_send(gen_random_uuid())), g.id, g.inserted_at, now()
  from grants g
 where not exists (select from refresh_tokens r where r.grant_id = g.id and r.used_at is null);
