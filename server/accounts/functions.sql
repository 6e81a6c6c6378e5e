-- Keeps `is_admin` and `admin_roles` consistent (D-135), also for processes of 0.2, which write only `is_admin`.
create or replace function keep_admin_roles() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.admin_roles is not distinct from old.admin_roles and new.is_admin <> old.is_admin
     or tg_op = 'INSERT' and new.is_admin and new.admin_roles = '{}' then
    new.admin_roles := case when new.is_admin then '{administrator}'::text[] else '{}' end;
  end if;
  new.is_admin := new.admin_roles <> '{}';
  return new;
end $$;
create or replace trigger users_have_roles before insert or update of is_admin, admin_roles on users
  for each row execute function keep_admin_roles();
