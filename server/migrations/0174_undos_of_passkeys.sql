-- The mail about an added passkey takes it back, as that about an authenticator app does (D-122).
alter table account_undos drop constraint account_undos_kind_check;
alter table account_undos add constraint account_undos_kind_check check (kind in ('email', 'totp', 'passkey')) not valid;
