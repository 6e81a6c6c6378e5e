/** `todo`: it works, but needs action. `failed`: it does not work. */
export type FindingStatus = 'ok' | 'todo' | 'failed'

export interface Finding {
  name: string
  status: FindingStatus
  /** The finding in a few words. Never a secret. */
  detail: string
  /** The remedy, as a complete sentence. */
  advice?: string
}

/** A finding of a check. Without a name it has that of the check. */
export type Found = Omit<Finding, 'name'> & { name: string | undefined }

export const ok = (detail: string, name?: string): Found => ({ name, status: 'ok', detail })
export const todo = (detail: string, advice: string, name?: string): Found => ({ name, status: 'todo', detail, advice })
export const failed = (detail: string, advice: string, name?: string): Found => ({
  name,
  status: 'failed',
  detail,
  advice,
})

/** A check of one part. It may have several findings; an error that it throws is its failure. */
export interface Check {
  name: string
  /** The timeout of the check. */
  seconds: number
  advice: string
  run(signal: AbortSignal): Promise<Found | Found[]>
}

/** Runs a check within its timeout. A check that throws or hangs becomes a failed finding and does not affect others. */
export async function runCheck(check: Check): Promise<Finding[]> {
  return (await resultOf(check)).map((found) => ({ ...found, name: found.name ?? check.name }))
}

async function resultOf({ seconds, advice, run }: Check): Promise<Found[]> {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timed_out = new Promise<Found>((done) => {
    timer = setTimeout(() => done(failed(`no answer within ${seconds} s`, advice)), seconds * 1_000)
  })
  try {
    return [await Promise.race([run(stopping.signal), timed_out])].flat()
  } catch (error) {
    return [failed(messageOf(error), advice)]
  } finally {
    clearTimeout(timer)
    stopping.abort()
  }
}

/** The message of an error and of its cause, as one line. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : ''
  const cause = error.cause instanceof Error ? `: ${messageOf(error.cause)}` : ''
  return `${error.message || inner || error.name}${error.message.includes(cause) ? '' : cause}`.replaceAll('\n', ' ')
}
