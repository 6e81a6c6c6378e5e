-- Upkeep of accounts (D-107).

-- A change of address that waits for the code mailed to the new one.
create table email_changes (
  user_id uuid primary key,
  new_email text not null,
  -- Null until the mail is written.
  code_hash bytea,
  tries_left integer not null,
  expires_at timestamptz not null
);
create index email_changes_expiry on email_changes (expires_at);

-- What the owner of an address can take back with the code of a notice, for some days.
create table account_undos (
  id uuid primary key,
  user_id uuid not null,
  kind text not null check (kind in ('email', 'totp')),
  -- Address and name before the change; the address is the one that is told.
  email text not null,
  username text not null,
  -- Null until the mail is written.
  code_hash bytea,
  changed_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index account_undos_code on account_undos (code_hash);
create index account_undos_user on account_undos (user_id);
create index account_undos_expiry on account_undos (expires_at);
-- Nobody else takes an address that can be restored.
create index account_undos_address on account_undos (lower(email)) where kind = 'email';

-- When each part of an account was last changed: an undo takes back what was changed after.
create table account_changes (
  user_id uuid not null,
  kind text not null check (kind in ('totp', 'recovery_codes')),
  changed_at timestamptz not null,
  primary key (user_id, kind)
);

-- Names that were given up, as keyed hashes. Until then only who had the name may take it again.
create table reserved_usernames (
  name_hash bytea primary key,
  -- Null where the account is gone.
  user_id uuid,
  reserved_until timestamptz not null
);
create index reserved_usernames_user on reserved_usernames (user_id) where user_id is not null;
create index reserved_usernames_expiry on reserved_usernames (reserved_until);
