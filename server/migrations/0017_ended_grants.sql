-- Used codes and used refresh tokens stay as long as their grant, so that their reuse is seen (D-25, D-26). What is looked for
-- by its end is what nobody used: codes that were never redeemed, and the newest refresh token of each grant.
drop index authorization_codes_expiry;
create index authorization_codes_unused_expiry on authorization_codes (expires_at) where used_at is null;
drop index refresh_tokens_expiry;
create index refresh_tokens_newest_expiry on refresh_tokens (expires_at) where used_at is null;

-- What is left of a grant, when it goes.
create index authorization_codes_grant on authorization_codes (grant_id) where grant_id is not null;
create index access_tokens_grant on access_tokens (grant_id);
