-- OpenID Connect (D-103).

-- Set where the code or grant gives identity tokens: when the person signed in.
alter table authorization_codes add column auth_time timestamptz, add column nonce text;
alter table grants add column auth_time timestamptz;

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
