-- The transfers that tools of the MCP server made (D-156), for their daily limit and for the list of what an agent did.
create table agent_transfers (
  transfer_id uuid primary key,
  user_id uuid not null,
  app_id uuid not null,
  amount bigint not null,
  inserted_at timestamptz not null
);
create index agent_transfers_of_connection on agent_transfers (user_id, app_id, inserted_at);
