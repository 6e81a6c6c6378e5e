-- replaces: 0040_message_keys.sql 0122_messages_by_sender.sql 0124_friendships_by_high.sql 0140_moderation.sql

-- The Idempotency-Keys of messages (D-92): written with the message, kept as those of points are.
create table message_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  message_id uuid not null,
  inserted_at timestamptz not null,
  primary key (user_id, key)
);

drop function post_messages(timestamptz, uuid[], uuid[], uuid[], text[], text[]);

-- Cases of reports (D-109). Reports of one message, or of one person, share a case until an admin decides it. A later report opens
-- another case.
create table moderation_cases (
  id uuid primary key,
  person_id uuid not null,
  -- the message that is reported; null where the person is
  message_id uuid,
  status text not null default 'open' check (status in ('open', 'decided')),
  reports integer not null default 1,
  last_reported_at timestamptz not null,
  -- the decision: what was done and why, and until when the person may not write where that is a part of it
  actions text[] not null default '{}',
  decision_reason text,
  muted_until timestamptz,
  decided_by uuid,
  decided_at timestamptz,
  inserted_at timestamptz not null,
  check ((status = 'decided') = (decided_at is not null and cardinality(actions) > 0))
);
create unique index moderation_cases_open_message on moderation_cases (message_id) where status = 'open' and message_id is not null;
create unique index moderation_cases_open_person on moderation_cases (person_id) where status = 'open' and message_id is null;
create index moderation_cases_status on moderation_cases (status, id desc);
create index moderation_cases_person on moderation_cases (person_id, id desc);
create index moderation_cases_message on moderation_cases (message_id) where message_id is not null;

create table reports (
  id uuid primary key,
  case_id uuid not null,
  -- null where the person who reported has left (D-106)
  reporter_id uuid,
  reason text not null,
  note text,
  -- whether many reports of this person had been dismissed when it came
  doubted boolean not null,
  inserted_at timestamptz not null
);
create unique index reports_of_reporter on reports (reporter_id, case_id);
create index reports_of_case on reports (case_id, id);

-- Who may read in chat and not write, until when. A row that is over means nothing.
create table chat_mutes (
  user_id uuid primary key,
  muted_until timestamptz not null,
  reason text not null,
  inserted_at timestamptz not null
);
create index chat_mutes_expiry on chat_mutes (muted_until);

-- Messages whose text was removed. Readers get a fixed text in its place. What was typed stays in `messages`, for admins, until
-- it is purged: rows of that table are otherwise never changed, which backups rely on.
create table removed_messages (
  message_id uuid primary key,
  removed_at timestamptz not null,
  purged_at timestamptz
);
create index removed_messages_to_purge on removed_messages (removed_at) where purged_at is null;

-- Messages by their sender, for export and erasure (D-106).
create index messages_sender on messages (sender_id, id);

-- All friendships of a person, ended ones too (D-106): the key begins with the lower id.
create index friendships_high on friendships (high_id);
