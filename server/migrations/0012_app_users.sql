-- How many users ever connected to each app (D-49): a connection ends, but its row stays. Kept as rows come, in the
-- statement that brings them, so that no answer counts them.
create table app_users (
  app_id uuid primary key,
  total_users bigint not null
) with (fillfactor = 70);

-- Apps are counted up in id order, after the connections, so batches of several processes cannot deadlock.
create function count_app_users() returns trigger language plpgsql as $$
begin
  insert into app_users as a (app_id, total_users)
  select app_id, count(*) from new_connections group by app_id order by app_id
  on conflict (app_id) do update set total_users = a.total_users + excluded.total_users;
  return null;
end $$;
create trigger connections_are_counted after insert on connections
  referencing new table as new_connections for each statement execute function count_app_users();

-- Last: the trigger waits for every writer of connections, so what a process of before has written is all there to count.
insert into app_users (app_id, total_users) select app_id, count(*) from connections group by app_id;
