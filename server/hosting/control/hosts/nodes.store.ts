import type { Sql } from '../../../platform/postgres/database.ts'

/** The node of a host that runs a replica. */
export interface ReplicaNode {
  id: string
  replica: number
  host: string
  node: string
}

/** Saves the nodes of these replicas if they changed. */
export const saveNodes = (db: Sql, all: readonly ReplicaNode[]) =>
  db.sql`
    with held as materialized (
      select id from deployments where id = any(${all.map(({ id }) => id)}::uuid[]) order by id for no key update
    )
    update deploy_instances i set node = n.node
      from held join unnest(${all.map(({ id }) => id)}::uuid[], ${all.map(({ replica }) => replica)}::integer[],
                            ${all.map(({ host }) => host)}::text[], ${all.map(({ node }) => node)}::text[]) n(id, replica, host, node)
                  on n.id = held.id
     where i.deployment_id = n.id and i.number = n.replica and i.host_server = n.host and i.node is distinct from n.node`
