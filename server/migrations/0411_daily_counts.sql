-- What admins see by day and nothing else keeps (D-81): null for days before these columns. `active_people` is the most that was counted
-- during the day, the others are what was there at its end.
alter table daily_figures
  add column active_people integer,
  add column failed_jobs integer,
  add column open_decisions integer;
-- The people whose sessions were used today.
create index login_sessions_used on login_sessions (coalesce(renewed_at, inserted_at));
