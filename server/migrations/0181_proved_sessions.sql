-- Until when calls of a session go without the fields of a proof (D-129); null where nothing was proved.
alter table login_sessions add column proved_until timestamptz;
