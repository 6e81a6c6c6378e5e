-- Client secrets with a name, permissions, an end and networks (D-133). Earlier ones may do everything, as the only maker of each was the
-- owner of its app.
alter table app_secrets
  add column name text,
  add column permissions text[] not null
    default '{token,payments_read,payments,payouts,deploy,registry,webhooks}',
  add column expires_at timestamptz,
  -- In CIDR notation; empty for any.
  add column allowed_addresses text[] not null default '{}',
  -- Null where the person has left.
  add column maker_id uuid,
  add column last_address text,
  -- When the owner was notified of the end.
  add column expiry_told_at timestamptz;
update app_secrets s set maker_id = a.owner_id from oauth_apps a where a.id = s.app_id;
create index app_secrets_maker on app_secrets (maker_id);
create index app_secrets_expiry on app_secrets (expires_at) where expiry_told_at is null;
