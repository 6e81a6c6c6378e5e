import type { Logger } from './log.ts'
import { singleFlight } from './single-flight.ts'

/** `degraded`: a part does not work, but the service is ready. */
export type CheckStatus = 'ok' | 'degraded' | 'failed'

export interface CheckResult {
  status: CheckStatus
  /** A short reason for operators, for the log. Never a secret. */
  reason?: string
}

export interface ReadinessReport {
  /** False if any check has failed. */
  is_ready: boolean
  checks: (CheckResult & { name: string })[]
}

/** The public answer of `/readyz` (D-93): names and states. The reasons are only logged; their field is kept and always null. */
export const readyzBody = ({ is_ready, checks }: ReadinessReport) => ({
  status: is_ready ? ('ready' as const) : ('not_ready' as const),
  checks: checks.map(({ name, status }) => ({ name, status, reason: null })),
})

/** The readiness of this process (D-93): named checks, and whether it is stopping. */
export interface Readiness {
  /** Adds a check, or replaces the one of that name. A check fails if it throws or takes longer than 3 s. */
  add(name: string, check: () => CheckResult | Promise<CheckResult>): void
  /** Makes the process not ready from now on, regardless of the checks. */
  stop(): void
  /** Runs all checks, and logs those whose state has changed. Concurrent callers share one run. */
  report(): Promise<ReadinessReport>
}

/** Load balancers rarely wait longer. */
const check_timeout_ms = 3_000

export function openReadiness(log: Logger): Readiness {
  const checks = new Map<string, () => CheckResult | Promise<CheckResult>>()
  let stopping = false
  const logChange = changeLogger(log)
  const runAll = singleFlight(async () => {
    const results = await Promise.all(
      [...checks].map(async ([name, check]) => ({ name, ...(await withTimeout(check)) })),
    )
    results.forEach(logChange)
    return results
  })
  return {
    add: (name, check) => void checks.set(name, check),
    stop: () => {
      stopping = true
    },
    async report() {
      const results = await runAll()
      const process: CheckResult = stopping ? { status: 'failed', reason: 'stopping' } : { status: 'ok' }
      const all = [{ name: 'process', ...process }, ...results]
      return { is_ready: all.every(({ status }) => status !== 'failed'), checks: all }
    },
  }
}

/** Logs a check when its state or its reason changes. A changed number in a reason does not count. */
function changeLogger(log: Logger) {
  const logged = new Map<string, string>()
  return ({ name: check, status, reason }: CheckResult & { name: string }) => {
    const before = logged.get(check) ?? 'ok'
    const now = status === 'ok' ? status : `${status} ${reason?.replace(/\d+/g, '')}`
    if (now === before) return
    logged.set(check, now)
    if (status === 'ok') log.info({ check }, 'a check of readiness is ok again')
    else log.warn({ check, status, reason }, 'a check of readiness is not ok')
  }
}

async function withTimeout(check: () => CheckResult | Promise<CheckResult>): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined
  const timed_out = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: 'failed', reason: `no answer within ${check_timeout_ms / 1_000} s` }),
      check_timeout_ms,
    )
  })
  const failed = (): CheckResult => ({ status: 'failed', reason: 'the check failed' })
  const result = (async () => check())().catch(failed)
  return Promise.race([result, timed_out]).finally(() => clearTimeout(timer))
}
