import type { listContainerHosts } from '../../../contract/admin-deployments.ts'
import type { Static } from 'typebox'
import type { Sql } from '../../platform/postgres/database.ts'

type ContainerHost = Static<(typeof listContainerHosts)['response']>['hosts'][number]

const hosts_max = 500

/** The container hosts that were in a worker's settings within the last day, by name, with the probe results of each machine. */
export const listHosts = (db: Sql) =>
  db.sql<ContainerHost>`
    select h.name, h.kind, h.reachable, h.fault, h.version, h.memory_mb, h.millicores, h.hosts as machines, h.seen_at,
           (select count(*) from deployments d where d.host_server = h.name and d.status <> 'destroyed')::integer as deployments,
           coalesce(n.advice, '{}') as advice, coalesce(n.limits, '{}') as limits,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'node', nullif(i.node, ''), 'state', i.state, 'found', i.found, 'reason', i.reason,
                     'checked_at', to_char(i.checked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by i.node), '[]')
              from host_isolation i where i.host = h.name) as isolation
      from container_hosts h left join host_notes n on n.host = h.name
     where h.asked_at > now() - interval '1 day'
     order by h.name
     limit ${hosts_max}`
