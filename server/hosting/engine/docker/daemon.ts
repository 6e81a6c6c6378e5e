import { EngineError } from '../engine.ts'

/** A daemon's information; fields that it may omit are optional. */
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

/** Fails with `isolation` if the daemon's kernel cannot enforce the limits or the seccomp filter. */
export function requireEnforcement(info: DaemonInfo) {
  const missing = [
    info.MemoryLimit ? '' : 'memory limits',
    info.SwapLimit ? '' : 'swap limits',
    info.PidsLimit ? '' : 'process limits',
    info.CpuCfsQuota ? '' : 'processor limits',
    (info.SecurityOptions ?? []).some((option) => /^name=seccomp(,profile=(default|builtin))?$/.test(option))
      ? ''
      : 'the default filter of system calls (seccomp)',
  ].filter((name) => name !== '')
  if (missing.length > 0) throw new EngineError('isolation', `The engine does not enforce: ${missing.join(', ')}.`)
}
