-- The points that an app may pay out in 24 hours, in place of the installation's limit (D-132).
alter table oauth_apps add column payout_limit bigint check (payout_limit >= 0);

-- Why an item of a batch of payouts was refused: a replay answers alike (D-130).
alter table idempotency_keys add column refusal text;
