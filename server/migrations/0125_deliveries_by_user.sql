-- Deliveries that tell of a person (D-106).
create index webhook_deliveries_user on webhook_deliveries ((data ->> 'user_id'));
