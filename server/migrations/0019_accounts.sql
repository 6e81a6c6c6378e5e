-- replaces: 0037_user_search.sql 0043_account_guessing.sql 0045_key_ids.sql 0053_user_search_order.sql 0120_account_upkeep.sql 0126_departures.sql 0130_passkeys.sql 0142_second_factor_proofs.sql 0150_languages.sql

-- Users who may be found, in the order in which a search shows them: by name and id.
create index users_searched on users (lower(username) text_pattern_ops, id) where suspended_at is null;

-- Where an account was signed in from: these addresses are let in while others guess at it (D-91).
create table login_addresses (
  user_id uuid not null,
  address text not null,
  inserted_at timestamptz not null,
  primary key (user_id, address)
);

-- Codes that set a new password: several may be valid at once (D-91).
create table reset_codes (
  code_hash bytea primary key,
  user_id uuid not null,
  expires_at timestamptz not null
);
create index reset_codes_user on reset_codes (user_id);
create index reset_codes_expiry on reset_codes (expires_at);
with moved as (
  delete from mailed_codes where purpose = 'reset_password' returning code_hash, user_id, expires_at
)
insert into reset_codes (code_hash, user_id, expires_at) select code_hash, user_id, expires_at from moved;
drop index mailed_codes_reset;

-- Retiring a key of SECRET_KEYS needs to know what it still seals: the fingerprint of the key of a two-factor secret. Null where version 0.1
-- sealed the secret; its key is found by trying.
alter table users add column totp_key_id bytea;
create index users_totp_keys on users (totp_key_id, id) where totp_secret is not null or totp_pending_secret is not null;

-- Keyed hashes (recovery codes) and proofs (custom domains) cannot be made again under another key. So the keys that made
-- them, which are derived from those of SECRET_KEYS, are kept: sealed, and named after the key that they derive from.
create table derived_keys (
  purpose text not null,
  key_id bytea not null,
  sealed bytea not null,
  primary key (purpose, key_id)
);

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

-- Changes that the owner of an address can undo with the code in a mail, for some days.
create table account_undos (
  id uuid primary key,
  user_id uuid not null,
  kind text not null check (kind in ('email', 'totp')),
  -- Address and name before the change. The mail goes to this address.
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

-- People who left (D-106), by id alone. Until `erased_at`, a job erases what was not deleted at once.
create table departures (
  user_id uuid primary key,
  left_at timestamptz not null,
  erased_at timestamptz
);
create index departures_unfinished on departures (left_at) where erased_at is null;

-- Passkeys (D-108). They go with their account.
create table passkeys (
  id uuid primary key,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  -- The counter of the authenticator at its last use; 0 where it has none.
  sign_count bigint not null,
  transports text[] not null,
  discoverable boolean,
  backed_up boolean not null,
  name text not null,
  copy_suspected_at timestamptz,
  inserted_at timestamptz not null,
  last_used_at timestamptz
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id, id);

-- Hashed challenges for authenticators to sign. Use deletes the row.
create table passkey_challenges (
  challenge_hash bytea primary key,
  purpose text not null,
  -- Null at a sign-in without a password.
  user_id uuid,
  -- The login session that asked; null where nobody is signed in.
  session_id uuid,
  expires_at timestamptz not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);
create index passkey_challenges_user on passkey_challenges (user_id) where user_id is not null;

-- Whose sign-ins with the password ask for a passkey too.
create table passkey_second_factors (
  user_id uuid primary key,
  inserted_at timestamptz not null
);

-- The proof of a person who lost the second factor: a mailed code, which the person gives to an admin or opens as a link (D-110).
-- It is valid for one address, and expires.
create table second_factor_proofs (
  user_id uuid primary key,
  -- the hash of the code with the address it was mailed to: another address makes it void
  code_hash bytea not null,
  link_hash bytea not null,
  email_hash bytea not null,
  tries_left integer not null,
  started_by uuid not null,
  confirmed_by text check (confirmed_by in ('code', 'link')),
  confirmed_at timestamptz,
  inserted_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index second_factor_proofs_link on second_factor_proofs (link_hash);
create index second_factor_proofs_expiry on second_factor_proofs (expires_at);

-- The language of mails to a person; null: English (D-125).
alter table users add column language text;
