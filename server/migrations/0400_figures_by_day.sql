-- Figures of the installation by day of UTC, for admins (D-81): `spent` is what people spent in apps, counted with `app_days`. The lock of
-- the progress keeps other processes from counting until their function is replaced.
create table daily_figures (
  day date primary key,
  spent bigint not null default 0
);
select from app_days_progress for update;
insert into daily_figures (day, spent) select day, sum(earned) from app_days group by day;
drop index app_days_by_day;
