import type { EngineClient } from './http-client.ts'

export interface DockerHost {
  client: EngineClient
  installation_id: string
  /** Where ports are published and the router reaches them. */
  address: string
  network_range: string
}

/** What a daemon tells of itself; fields that it may omit are optional. */
export interface DaemonInfo {
  ServerVersion?: string
  Architecture?: string
  MemTotal?: number
  NCPU?: number
  MemoryLimit?: boolean
  SwapLimit?: boolean
  PidsLimit?: boolean
  CpuCfsQuota?: boolean
  SecurityOptions?: string[] | null
  LiveRestoreEnabled?: boolean
}
