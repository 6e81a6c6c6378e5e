import type { IncomingHttpHeaders } from 'node:http'

export interface TraceContext {
  trace_id: string
  /** The caller's span. */
  parent_id: string
}

/** Version, trace id, parent id and flags; later versions may append more (W3C Trace Context, 3.2.2 and 4.1). */
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?=$|-)(.*)$/

/** The trace that the client's `traceparent` names; undefined if it is missing or invalid. */
export function traceOf({ traceparent: sent }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof sent !== 'string') return undefined
  const [, version, trace_id, parent_id, more] = traceparent.exec(sent) ?? []
  if (trace_id === undefined || parent_id === undefined || (version === '00' && more !== '')) return undefined
  return { trace_id, parent_id }
}
