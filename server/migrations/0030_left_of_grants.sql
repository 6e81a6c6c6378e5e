-- Of grants that ended before, the newest refresh token was deleted and the rest left. From now on that token is what a grant
-- is found by when it goes, so what lost it goes here.
delete from grants g
 where not exists (select from refresh_tokens r where r.grant_id = g.id and r.used_at is null)
   and not exists (select from access_tokens t where t.grant_id = g.id)
   and not exists (select from app_sessions s where s.grant_id = g.id and s.ended_at is null and s.expires_at > now());
delete from refresh_tokens r where not exists (select from grants g where g.id = r.grant_id);
delete from app_sessions s where not exists (select from grants g where g.id = s.grant_id);
delete from authorization_codes c where grant_id is not null and not exists (select from grants g where g.id = c.grant_id);
