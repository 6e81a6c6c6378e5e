-- Processes of 0.1.0 called these functions.
drop function if exists apply_transfers(
  timestamptz, uuid[], uuid[], text[], integer[], integer[], bigint[], uuid[], text[], text[], bytea[]);
drop function if exists issue_codes(
  timestamptz, timestamptz, bytea[], uuid[], uuid[], uuid[], text[], text[], text[], integer[], text[], text[], text[]);
drop function if exists tell_lapsed_presence(timestamptz, timestamptz, bigint);
