-- replaces: 0151_notices.sql

-- Notices of people (D-119). A row has one cause, named by `about`; a repetition changes the row. Names are read from their own
-- tables, so no row has another person's text.
create table notices (
  user_id uuid not null,
  about text not null,
  -- another one at each change, so that whoever marks what they saw does not mark what they did not see
  id uuid not null,
  kind text not null,
  event text not null,
  count integer not null,
  amount bigint,
  subject_id uuid,
  app_id uuid,
  reason text,
  -- false where the kind is muted: the row waits for its mail alone
  in_console boolean not null,
  happened_at timestamptz not null,
  read_at timestamptz,
  primary key (user_id, about)
);
create index notices_of_user on notices (user_id, id desc);
create index notices_unread on notices (user_id, id desc) where read_at is null and in_console;
create index notices_age on notices (happened_at);

-- A row exists where somebody chose. Times of mails are of gathered kinds only.
create table notice_settings (
  user_id uuid not null,
  kind text not null,
  console boolean not null,
  mail boolean not null,
  mail_due_at timestamptz,
  mailed_at timestamptz,
  -- the newest notice that was mailed
  mailed_id uuid,
  primary key (user_id, kind)
);
create index notice_settings_due on notice_settings (mail_due_at) where mail_due_at is not null;

-- How far movements of points and messages were turned into notices, and what was last counted.
create table notice_progress (
  source text primary key,
  -- points: the last movement with a notice
  seq bigint not null,
  -- points: movements up to `next_seq` are complete once all transactions before `next_xid` have ended. Messages: the next event
  next_seq bigint,
  next_xid xid8,
  -- review: how much waits, by its event
  counts jsonb
);
insert into notice_progress (source, seq) select 'points', coalesce(max(seq), 0) from transfers;
insert into notice_progress (source, seq, next_seq, next_xid) values ('messages', 0, 0, pg_current_xact_id());
insert into notice_progress (source, seq, counts) values ('review', 0, '{}');

-- Tells a reader of the event stream, if it asks for it, that the count of its unread notices has changed.
alter table events drop constraint events_kind_check;
alter table events add constraint events_kind_check check (kind in ('message', 'friendship', 'presence', 'notice')) not valid;
