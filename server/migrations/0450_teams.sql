create table teams (
  id uuid primary key,
  name text not null,
  require_second_factor boolean not null default false,
  inserted_at timestamptz not null
);

create table team_members (
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null,
  role text not null check (role in ('viewer', 'developer', 'admin', 'owner')),
  joined_at timestamptz not null,
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

create table team_invitations (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  email text not null,
  role text not null check (role in ('viewer', 'developer', 'admin', 'owner')),
  invited_by uuid not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index team_invitations_address on team_invitations (team_id, lower(email));
create index team_invitations_email on team_invitations (lower(email));
create index team_invitations_by on team_invitations (invited_by);

create table team_log (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  actor_id uuid not null,
  action text not null,
  subject_id uuid,
  details jsonb not null,
  inserted_at timestamptz not null
);
create index team_log_team on team_log (team_id, id desc);

-- An app of a team keeps a person in `owner_id`: one of the team's owners, who acts for it where a person has to.
alter table oauth_apps add column team_id uuid references teams;
create index oauth_apps_team on oauth_apps (team_id) where team_id is not null;

-- Apps that wait for a person to accept them.
create table app_offers (
  app_id uuid primary key references oauth_apps on delete cascade,
  to_user_id uuid not null,
  offered_by uuid not null,
  inserted_at timestamptz not null,
  expires_at timestamptz not null
);
create index app_offers_to on app_offers (to_user_id);
