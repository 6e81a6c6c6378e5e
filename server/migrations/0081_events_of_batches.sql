-- A row of events of the ledger stands for all events of one type that an app learns of by one batch: writing one for each
-- cost a spend a third more. Their payloads are read from the movements, which never change.

-- What the events tell of: the movement, the freed hold, or where `data` says it all, the event itself. An event has this id.
alter table app_event_outbox add column ids uuid[], alter column data drop not null;
update app_event_outbox set ids = array[id];
alter table app_event_outbox alter column ids set not null, drop column id;

-- `seq` is that of the last of the row's events.
alter table app_events add column ids uuid[], alter column data drop not null;
update app_events set ids = array[id];
alter table app_events alter column ids set not null, drop column id;

drop function if exists record_ledger_events(
  timestamptz, uuid[], text[], uuid[], uuid[], bigint[], uuid[], text[], text[], text[], text[], uuid[], uuid[]);
