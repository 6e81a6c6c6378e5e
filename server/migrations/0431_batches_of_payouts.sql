-- A key of a batch of payouts has one row for all items that a transaction decided, in their order (D-130).
alter table idempotency_keys drop column refusal, add column outcomes text[], add column made_ids uuid[];
