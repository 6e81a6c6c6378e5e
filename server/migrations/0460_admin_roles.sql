-- Roles of admins (D-135): those of 0.1 and 0.2 may do everything. `users_have_roles` keeps `is_admin` in step.
alter table users add column admin_roles text[] not null default '{}';
update users set admin_roles = '{administrator}' where is_admin;
