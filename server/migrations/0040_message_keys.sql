-- The Idempotency-Keys of messages (D-92): written with the message, kept as those of points are.
create table message_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  message_id uuid not null,
  inserted_at timestamptz not null,
  primary key (user_id, key)
);

drop function post_messages(timestamptz, uuid[], uuid[], uuid[], text[], text[]);
