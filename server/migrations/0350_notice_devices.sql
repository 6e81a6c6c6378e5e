-- Browsers that get notices as push messages (D-160), each as long as the session in which it was registered. An endpoint is the address of
-- one browser at its push service.
create table notice_devices (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  session_id uuid not null references login_sessions (id) on delete cascade,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  kinds text[] not null,
  inserted_at timestamptz not null
);
create index notice_devices_of_user on notice_devices (user_id);
create index notice_devices_of_session on notice_devices (session_id);

-- The key that signs push messages (VAPID, RFC 8292); the private one is sealed.
create table push_keys (
  id uuid primary key,
  public_key text not null,
  sealed bytea not null,
  inserted_at timestamptz not null
);
