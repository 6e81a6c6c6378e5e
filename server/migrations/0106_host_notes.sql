-- What a container host cannot do, and what its operator should change; sentences for admins, as a worker last saw it.
create table host_notes (
  host text primary key,
  advice text[] not null,
  limits text[] not null
);
