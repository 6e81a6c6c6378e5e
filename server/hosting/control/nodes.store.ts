import type { Sql } from '../../platform/postgres/database.ts'

/** Which node of a host runs a replica. */
export interface ReplicaNode {
  id: string
  replica: number
  host: string
  node: string
}

/** Saves the nodes of these replicas where they are others than before; a deployment that is destroyed meanwhile is left out. */
export const saveNodes = (db: Sql, all: readonly ReplicaNode[]) =>
  db.sql`
    insert into deploy_nodes as known (deployment_id, replica, host, node)
    select n.id, n.replica, n.host, n.node
      from unnest(${all.map(({ id }) => id)}::uuid[], ${all.map(({ replica }) => replica)}::integer[],
                  ${all.map(({ host }) => host)}::text[], ${all.map(({ node }) => node)}::text[]) n(id, replica, host, node)
      join deployments d on d.id = n.id and d.status <> 'destroyed'
    on conflict (deployment_id, replica) do update set host = excluded.host, node = excluded.node
     where (known.host, known.node) is distinct from (excluded.host, excluded.node)`
