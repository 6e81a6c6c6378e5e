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

-- What authenticators are asked to sign, hashed. A row is deleted by its use.
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
