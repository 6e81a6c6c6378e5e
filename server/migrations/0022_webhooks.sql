-- replaces: 0065_webhooks.sql 0081_events_of_batches.sql 0082_webhook_request_keys.sql 0125_deliveries_by_user.sql 0163_last_failed_at_of_webhooks.sql 0164_lean_deliveries.sql 0165_webhooks_tried_anew.sql

-- Webhooks of apps, and the events that they deliver (D-101).

-- Apps that read their events themselves: recording goes on for as long after the last reading as events are kept.
create table app_event_readers (
  app_id uuid primary key,
  recorded_since timestamptz not null,
  read_at timestamptz not null
);

-- Events as their causes write them, in any order. `publish_app_events` moves them on. One row holds all events of one type that an app
-- gets from one batch of the ledger: a row for each cost a spend a third more. `ids` are those of the movements or freed holds, from which
-- the payloads are read; where `data` has the payload, it is the id of the event.
create table app_event_outbox (
  at bigint generated always as identity primary key,
  app_id uuid not null,
  type text not null,
  data json,
  occurred_at timestamptz,
  ids uuid[] not null
);

-- Published events. `seq`, that of the last of the row's events, is in the order in which they become visible, so a reader that continues after one misses none.
create sequence app_events_seq;
create table app_events (
  app_id uuid not null,
  seq bigint not null,
  type text not null,
  data json,
  occurred_at timestamptz not null,
  published_at timestamptz not null,
  ids uuid[] not null,
  primary key (app_id, seq)
);
-- A backup copies the sequences of columns.
alter sequence app_events_seq owned by app_events.seq;
create index app_events_age on app_events (published_at);

create table webhooks (
  id uuid primary key,
  app_id uuid not null,
  url text not null,
  -- Null: all types, those that come later too.
  events text[],
  disabled_reason text check (disabled_reason in ('owner', 'failures')),
  disabled_at timestamptz,
  -- Since when no delivery has succeeded; null while they do.
  failing_since timestamptz,
  -- When something is to be delivered. A process that delivers holds the lease, and sets it again when it is done.
  due_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  inserted_at timestamptz not null,
  updated_at timestamptz not null,
  -- The row stays until a job has deleted its deliveries.
  deleted_at timestamptz,
  -- When an attempt failed last, to within an hour: a failure long after it begins a new series (`failing_since`).
  last_failed_at timestamptz,
  -- Since when waiting deliveries are to be tried at once: the owner changed the address, or switched the webhook on. Null when that is done.
  anew_since timestamptz,
  check ((disabled_at is null) = (disabled_reason is null))
) with (fillfactor = 70);
create index webhooks_of_app on webhooks (app_id, id) where deleted_at is null;
create index webhooks_due on webhooks (coalesce(lease_until, due_at)) where disabled_at is null and deleted_at is null;
create index webhooks_failing on webhooks (failing_since) where failing_since is not null and deleted_at is null;
create index webhooks_deleted on webhooks (id) where deleted_at is not null;

-- One secret without an end, and during a rotation the one before it.
create table webhook_secrets (
  id uuid primary key,
  webhook_id uuid not null,
  sealed bytea not null,
  inserted_at timestamptz not null,
  expires_at timestamptz
);
create index webhook_secrets_of_webhook on webhook_secrets (webhook_id);
create index webhook_secrets_key on webhook_secrets (substring(sealed from 1 for 4), id);
create index webhook_secrets_expiry on webhook_secrets (expires_at) where expires_at is not null;

-- A delivery of an event of the ledger has no payload: it is read from its movement or hold, which never change (D-101). One row for each
-- spend of an app that listens must cost next to nothing, so it is in four indexes, none of them on an expression.
create table webhook_deliveries (
  webhook_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  type text not null,
  data json,
  occurred_at timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  attempts integer not null default 0,
  -- Attempts since the last redelivery: the place in the schedule of retries.
  tries integer not null default 0,
  next_attempt_at timestamptz,
  inserted_at timestamptz not null,
  primary key (webhook_id, id),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 85);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_status on webhook_deliveries (webhook_id, status, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);
-- Those with a payload that names a person (D-106).
create index webhook_deliveries_user on webhook_deliveries ((data ->> 'user_id')) where data is not null;

create table webhook_attempts (
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  -- Why there is no answer.
  error text,
  -- The beginning of the answer's body.
  answer text,
  primary key (delivery_id, number)
);

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
