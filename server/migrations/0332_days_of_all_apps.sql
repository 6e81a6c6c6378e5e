-- Admins see the points that were spent in all apps, by day (D-81).
create index app_days_by_day on app_days (day) include (earned);
