-- Admins list people by their state (D-81). Admins and muted people have an index already.
create index users_suspended on users (id) where suspended_at is not null;
create index users_unverified on users (id) where not email_verified;
