-- Since when what waits for a later attempt is to be tried at once: the owner gave another address, or switched the webhook on. Null when
-- that is done.
alter table webhooks add column anew_since timestamptz;
