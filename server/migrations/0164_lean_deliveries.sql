-- A delivery of an event of the ledger holds no payload: it is read from its movement or hold, which never change (D-101). One row
-- for each spend of an app that listens must cost next to nothing, so it stands in four indexes, and none of an expression.
alter table webhook_deliveries alter column data drop not null;

-- The deliveries that tell of a movement: their event has its id.
create index webhook_deliveries_event on webhook_deliveries (event_id);
drop index webhook_deliveries_transfer;

-- Those with a payload that tells of a person (D-106).
drop index webhook_deliveries_user;
create index webhook_deliveries_user on webhook_deliveries ((data ->> 'user_id')) where data is not null;

-- What is too old is found by the ids of each webhook's deliveries, which have the time in front.
drop index webhook_deliveries_age;
