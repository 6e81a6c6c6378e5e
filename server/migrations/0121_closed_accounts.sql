-- Accounts of people who left, and of their apps (D-106): nothing comes to them any more, and what they had went to the account below.
-- Its id is the lowest: `apply_orders` locks accounts by descending id, and meets it last.
alter table point_accounts add column closed boolean not null default false;
insert into point_accounts (id, kind) values ('00000000-0000-7000-8000-000000000000', 'system');
