-- Where an account was signed in from: these addresses are let in while others guess at it (D-91).
create table login_addresses (
  user_id uuid not null,
  address text not null,
  inserted_at timestamptz not null,
  primary key (user_id, address)
);

-- Codes that set a new password: several may be good at once (D-91).
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
