-- The name beside the username, and the time zone in which a person's days begin (D-165). Null: not set.
alter table users add column display_name text, add column time_zone text;
