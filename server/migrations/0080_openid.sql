-- OpenID Connect (D-103).

-- Codes and grants that give identity tokens, and when the person signed in. Tables of their own, because a lock on those of codes and
-- grants, after the locks of the migrations before this one, met calls of older processes in the opposite order.
create table openid_codes (
  code_hash bytea primary key,
  auth_time timestamptz not null,
  nonce text,
  expires_at timestamptz not null
);
create index openid_codes_expiry on openid_codes (expires_at);
create table openid_grants (
  grant_id uuid primary key,
  auth_time timestamptz not null
);

-- The keys of identity tokens, the private part sealed. A key signs from `signs_from` until the next one does. It stays
-- published until `published_until`, which is set when its successor is made, and is deleted then.
create table signing_keys (
  id uuid primary key,
  public_jwk jsonb not null,
  sealed bytea not null,
  inserted_at timestamptz not null,
  signs_from timestamptz not null,
  published_until timestamptz
);
-- At most one key without a successor.
create unique index signing_keys_newest on signing_keys ((published_until is null)) where published_until is null;
