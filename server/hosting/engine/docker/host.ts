import type { Dialect } from './dialect.ts'
import type { EngineClient } from './http-client.ts'

export interface DockerHost {
  client: EngineClient
  dialect: Dialect
  installation_id: string
  /** The address where ports are published and the router reaches them. */
  address: string
  network_range: string
}
