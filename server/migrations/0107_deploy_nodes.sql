-- Which node of a Swarm runs a replica, where its host is one; of the others there is no row. Shown behind the host's name.
create table deploy_nodes (
  deployment_id uuid not null,
  replica integer not null,
  host text not null,
  node text not null,
  primary key (deployment_id, replica)
);
