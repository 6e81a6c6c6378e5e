-- The pictures of people (D-165): `users.picture_url` is the path of one, or null.
create table pictures (
  id uuid primary key,
  user_id uuid not null unique,
  content bytea not null,
  inserted_at timestamptz not null
);
alter table users add column picture_url text;
