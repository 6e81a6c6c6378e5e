-- Rewards of people whose address is not verified: they are paid when it is (D-116). `seq` keeps their order.
create table waiting_rewards (
  seq bigint generated always as identity primary key,
  user_id uuid not null,
  kind text not null check (kind in ('signup', 'referral', 'reward')),
  amount bigint not null check (amount > 0),
  description text,
  inserted_at timestamptz not null
);
create index waiting_rewards_user on waiting_rewards (user_id, seq);
