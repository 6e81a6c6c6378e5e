-- Users who may be found, in the order in which a search shows them.
create index users_found on users (lower(username) text_pattern_ops) where suspended_at is null;
