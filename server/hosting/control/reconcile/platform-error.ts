import type { Refusal } from '../hosts/isolation.rules.ts'

/**
 * A transient error of the platform itself, not of the engine or the database. Admins read the message; owners read
 * `told` in the deploy log.
 */
export class PlatformError extends Error {
  readonly fault: 'environment_unreadable' | 'host_not_isolated' | 'ports_unreachable'
  readonly told: string | undefined
  constructor(fault: PlatformError['fault'], message: string, told?: string) {
    super(message)
    this.name = 'PlatformError'
    this.fault = fault
    this.told = told
  }
}

export const notIsolated = ({ plain, full }: Pick<Refusal, 'plain' | 'full'>) =>
  new PlatformError('host_not_isolated', full, plain)
