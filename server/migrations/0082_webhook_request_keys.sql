-- Calls of owners about webhooks that carried an Idempotency-Key (D-09), with their answers. A secret that was in the answer is read
-- from where it lies sealed.
create table webhook_request_keys (
  owner_id uuid not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  answer jsonb,
  secret_id uuid,
  inserted_at timestamptz not null,
  primary key (owner_id, operation, key)
);
create index webhook_request_keys_age on webhook_request_keys (inserted_at);
