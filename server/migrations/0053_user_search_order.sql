-- The search asks for names in the order of name and id, which this index alone gives: on a small table the planner has taken
-- users_username instead, which has suspended users too, and kept to it while the table grew.
create index users_searched on users (lower(username) text_pattern_ops, id) where suspended_at is null;
drop index users_found;
