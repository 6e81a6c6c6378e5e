-- What only a sandbox uses (D-102). In the real space all of these tables are empty.

-- One row in the database of a sandbox, written when it is made, and never later.
create table sandbox_mark (
  is_sandbox boolean primary key default true check (is_sandbox),
  marked_at timestamptz not null default now()
);

-- Mails as the console shows them. They hold codes, so both texts are sealed.
create table sandbox_mails (
  id uuid primary key,
  -- In small letters.
  address text not null,
  sealed bytea not null,
  sent_at timestamptz not null
);
create index sandbox_mails_address on sandbox_mails (address, id desc);
create index sandbox_mails_age on sandbox_mails (sent_at);

create table test_persons (
  user_id uuid primary key,
  made_by uuid not null,
  inserted_at timestamptz not null
);
create index test_persons_maker on test_persons (made_by, user_id desc);
