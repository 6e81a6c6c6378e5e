import { singleFlight } from './single-flight.ts'

/** `degraded`: a part does not work, but the service takes work all the same. */
export type CheckStatus = 'ok' | 'degraded' | 'failed'

export interface CheckResult {
  status: CheckStatus
  /** For whoever operates the service: a few words, shown to anybody, so never a secret, an address or a name. */
  reason?: string
}

export interface ReadinessReport {
  /** False while any check has failed. */
  is_ready: boolean
  checks: (CheckResult & { name: string })[]
}

/** Whether this process takes work (D-93): named checks, and the announcement of its stop. */
export interface Readiness {
  /** Adds a check, or replaces the one of that name. One that throws, or takes longer than `check_ms`, has failed. */
  add(name: string, check: () => CheckResult | Promise<CheckResult>): void
  /** From now on the process is not ready, whatever the checks say. */
  stop(): void
  /** Runs all checks. Callers that ask while a run is under way share its result. */
  report(): Promise<ReadinessReport>
}

/** Those who ask for readiness rarely wait longer. */
const check_ms = 3_000

export function openReadiness(): Readiness {
  const checks = new Map<string, () => CheckResult | Promise<CheckResult>>()
  let stopping = false
  const runAll = singleFlight(() =>
    Promise.all([...checks].map(async ([name, check]) => ({ name, ...(await withinTime(check)) }))),
  )
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

async function withinTime(check: () => CheckResult | Promise<CheckResult>): Promise<CheckResult> {
  let late: NodeJS.Timeout | undefined
  const too_late = new Promise<CheckResult>((resolve) => {
    late = setTimeout(() => resolve({ status: 'failed', reason: `no answer within ${check_ms / 1_000} s` }), check_ms)
  })
  const failed = (): CheckResult => ({ status: 'failed', reason: 'the check failed' })
  const result = (async () => check())().catch(failed)
  return Promise.race([result, too_late]).finally(() => clearTimeout(late))
}
