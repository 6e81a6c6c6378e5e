-- The last check of the books. Before the first one, `checked_at` is null and `since` is when checks began.
create table ledger_check (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null,
  checked_at timestamptz,
  balanced boolean
);
insert into ledger_check (since) values (now());
