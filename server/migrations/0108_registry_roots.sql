-- The root of the certificates that vouch for tokens of the private registry. The newest signs them; an older one is gone.
create table registry_roots (
  id uuid primary key,
  certificate text not null,
  -- The private key in PKCS #8, sealed in the context of the id.
  sealed bytea not null,
  inserted_at timestamptz not null
);
