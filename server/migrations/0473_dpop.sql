-- Tokens bound to a DPoP key (D-152), by its thumbprint (RFC 7638); null for a Bearer token. Of a code and a refresh token: the key that
-- the next request must prove.
alter table authorization_codes add column jkt text;
alter table access_tokens add column jkt text;
alter table refresh_tokens add column jkt text;
alter table oauth_apps add column require_dpop boolean not null default false;

-- Proofs that were used, by a hash of key and `jti`, for as long as one could be accepted again.
create table dpop_proofs (
  proof_hash bytea primary key,
  expires_at timestamptz not null
);
create index dpop_proofs_expiry on dpop_proofs (expires_at);
