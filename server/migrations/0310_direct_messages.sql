-- A direct conversation (D-161) is a channel of two people, who are friends when they open it. Its ref_id is their ids.
alter table channels add column low_id uuid, add column high_id uuid;
alter table channels drop constraint channels_type_check;
alter table channels add constraint channels_type_check check (type in ('lobby', 'table', 'direct'));
alter table channels add constraint channels_members check ((type = 'direct') = (low_id is not null and high_id is not null));
create unique index channels_pair on channels (low_id, high_id) where low_id is not null;
create index channels_high on channels (high_id) where high_id is not null;

-- The last edit of a message (D-162). Rows of `messages` never change, which backups rely on.
create table message_edits (
  message_id uuid primary key,
  body text not null,
  filtered_body text not null,
  edited_at timestamptz not null
);

create table message_reactions (
  message_id uuid not null,
  user_id uuid not null,
  name text not null,
  inserted_at timestamptz not null,
  primary key (message_id, user_id, name)
);
create index message_reactions_user on message_reactions (user_id, message_id, name);

-- Up to when a person has read a channel: the time of a message.
create table channel_reads (
  user_id uuid not null,
  channel_id uuid not null,
  read_at timestamptz(3) not null,
  primary key (user_id, channel_id)
);

alter table removed_messages add column by_sender boolean not null default false;

-- The text as it was when the report was made, with words masked (D-109).
alter table reports add column reported_text text;
