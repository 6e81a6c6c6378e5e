-- Retiring a key of SECRET_KEYS needs to know what it still seals. Environments begin with the fingerprint of their key
-- (4 bytes); a two-factor secret has it beside it. Null: version 0.1 wrote it, and its key is found by trying.
alter table users add column totp_key_id bytea;
create index users_totp_keys on users (totp_key_id, id) where totp_secret is not null or totp_pending_secret is not null;
create index deployments_env_keys on deployments (substring(sealed_env from 1 for 4), id) where sealed_env <> '';

-- Keyed hashes (recovery codes) and proofs (custom domains) cannot be made again under another key. So the keys that made
-- them, which are derived from those of SECRET_KEYS, are kept: sealed, and named after the key that they derive from.
create table derived_keys (
  purpose text not null,
  key_id bytea not null,
  sealed bytea not null,
  primary key (purpose, key_id)
);
