-- Sessions whose proof a wrong clock dated ahead are looked for every ten minutes.
create index login_sessions_proved on login_sessions (proved_until) where proved_until is not null;
