-- One row per unordered pair, for good: what becomes of the two is its status, and its id stays theirs (D-70).
-- Whoever writes a friendship or a block holds the pair's advisory lock (server/social/pairs.store.ts).
create table friendships (
  id uuid primary key,
  low_id uuid not null,
  high_id uuid not null,
  -- who asked last, and when
  requester_id uuid not null,
  addressee_id uuid not null generated always as (case when requester_id = low_id then high_id else low_id end) stored,
  status text not null check (status in ('pending', 'accepted', 'rejected', 'removed')),
  sent_at timestamptz not null,
  changed_at timestamptz not null,
  check (low_id < high_id),
  check (requester_id in (low_id, high_id))
);
create unique index friendships_pair on friendships (low_id, high_id);
create index friendships_of_high on friendships (high_id, low_id) where status = 'accepted';
create index friendships_pending on friendships (addressee_id, sent_at desc) where status = 'pending';

create table blocks (
  -- in the order of blocking, for the list of one's own blocks
  seq bigint generated always as identity,
  blocker_id uuid not null,
  blocked_id uuid not null,
  inserted_at timestamptz not null,
  primary key (blocker_id, blocked_id),
  check (blocker_id <> blocked_id)
);
create index blocks_of_blocker on blocks (blocker_id, seq desc);
create index blocks_of_blocked on blocks (blocked_id, blocker_id);

-- Whether somebody is online is worked out from last_seen on reading (D-75). The index of tables ends in last_seen, so
-- that people who were at a table once cost its readers nothing.
create table presence (
  user_id uuid primary key,
  last_seen timestamptz not null,
  current_game text,
  lobby text
) with (fillfactor = 70);
create index presence_table on presence (current_game, lobby, last_seen desc)
  where current_game is not null and lobby is not null;
