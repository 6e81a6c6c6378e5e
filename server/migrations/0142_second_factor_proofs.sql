-- The proof of a person who lost the second factor: a code that was mailed for an admin, and told to the admin or opened as a link
-- (D-110). It holds for one address, and for a while.
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
