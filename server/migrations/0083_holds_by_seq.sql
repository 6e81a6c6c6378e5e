-- Lists of holds by a number in the order of their making: an index by the text of the id made a hold and its capture cost a third
-- more of what PostgreSQL does for them (measured: 92 against 57 µs for the row alone).
drop index holds_of_app;
drop index holds_of_user;
alter table holds add column seq bigint generated always as identity;
create index holds_of_app on holds (app_id, seq desc);
create index holds_of_user on holds (user_id, seq desc);
