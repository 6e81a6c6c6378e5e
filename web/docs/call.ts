/** A call of the reference, as the page describes it. */
export interface Call {
  method: string
  path: string
  caller: 'anyone' | 'user' | 'admin' | 'app' | 'client'
  credential: 'none' | 'token' | 'client'
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; example: string }[]
  json?: unknown
  form?: Record<string, string>
  reads: 'json' | 'text' | 'events'
}

export interface Answer {
  status: number
  text: string
  ms: number
  headers: string[]
  /** The code of a refusal. */
  refusal?: string
}

/** The response headers shown. */
const shown_headers = ['ratelimit', 'retry-after', 'www-authenticate', 'idempotency-replayed', 'x-request-id']

/** The address and headers of a call with these parameter values. */
export function requestOf(call: Call, values: ReadonlyMap<string, string>) {
  const headers = new Headers()
  const query = new URLSearchParams()
  let { path } = call
  for (const { name, in: place } of call.parameters) {
    const value = values.get(name) ?? ''
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (place === 'query') query.set(name, value)
    else headers.set(name, value)
  }
  const words = query.toString()
  return { url: path + (words === '' ? '' : `?${words}`), headers }
}

/**
 * Sends a call and reads its response; passes the text of a stream to `onText` as it arrives. Rejects without a
 * response.
 */
export async function send(url: string, init: RequestInit, onText: (text: string) => void): Promise<Answer> {
  const began = performance.now()
  const response = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit' })
  const ms = Math.round(performance.now() - began)
  const headers = shown_headers.flatMap((name) =>
    response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : [],
  )
  const is_stream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = is_stream && response.body ? await readStream(response.body, onText) : await response.text()
  return { status: response.status, ms, headers, ...readable(text) }
}

async function readStream(body: ReadableStream<Uint8Array<ArrayBuffer>>, onText: (text: string) => void) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value
    onText(text)
  }
  return text
}

function readable(text: string): Pick<Answer, 'text' | 'refusal'> {
  try {
    const body = JSON.parse(text) as unknown
    const { error } = (body ?? {}) as { error?: unknown }
    return { text: JSON.stringify(body, null, 2), ...(typeof error === 'string' && { refusal: error }) }
  } catch {
    return { text }
  }
}
