-- Outages of deployments, of which owners are told by mail. A row is there while something is amiss, and an hour after a mail.
create table deploy_watch (
  deployment_id uuid primary key,
  -- Since when it runs without an answer.
  unwell_since timestamptz,
  -- An outage: since when, why, and whether its owner was told.
  down_since timestamptz,
  cause text,
  told boolean not null default false,
  -- When mails were written in the last hour.
  mailed_at timestamptz[] not null default '{}'
);
