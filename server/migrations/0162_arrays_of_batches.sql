-- A batch of the ledger is answered by one row of arrays: another type of answer is another function.
drop function if exists apply_orders(
  timestamptz, uuid[], uuid[], text[], integer[], integer[], bigint[], uuid[], text[], text[], bytea[],
  text[], text[], uuid[], uuid[], timestamptz[]);
