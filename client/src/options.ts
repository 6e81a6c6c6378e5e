/** Options of every call. Defaults are the options of `openPlaza`. */
export interface CallOptions {
  /** Aborts the call at any point; it fails with `aborted`. */
  signal?: AbortSignal | undefined
  /** Timeout of one attempt; 30 by default. */
  timeout_seconds?: number | undefined
  /** Maximum retries of a call that can safely be repeated; 3 by default. */
  retries?: number | undefined
  /** The call fails at once if `Retry-After` is longer than this; 30 by default. */
  retry_after_max_seconds?: number | undefined
  /** Called with the response before the call resolves with its body. */
  on_answer?: ((answer: Answer) => void) | undefined
}

/** For calls that take an `Idempotency-Key`. */
export interface KeyedOptions extends CallOptions {
  /** Your key, such as an order number: calls with the same key are applied once. Random by default. */
  idempotency_key?: string | undefined
}

/** For streams of events. */
export interface StreamOptions {
  /** Aborts the stream; it fails with `aborted`. */
  signal?: AbortSignal | undefined
  /** Continues after this event: the last one of an earlier stream. */
  last_event_id?: string | undefined
  /** Reconnects after this time without any data; 45 by default. */
  idle_seconds?: number | undefined
  /** Maximum consecutive failed connection attempts before the stream fails; unlimited by default. */
  retries?: number | undefined
  /** Called on every connection; later events are delivered. Read the state that the events change now. */
  on_connected?: (() => void) | undefined
  /** Called when the connection is lost; the client reconnects after `seconds`. */
  on_interrupted?: ((why: Interruption) => void) | undefined
}

export interface Interruption {
  /** Undefined if the service closed the connection, as it does when it restarts. */
  error: Error | undefined
  seconds: number
}

/** The response without its body. */
export interface Answer {
  status: number
  headers: Headers
  /** True if this is the stored response of an earlier call with the same key. */
  is_replayed: boolean
  /** Identifies the request in the service's log. */
  request_id: string | undefined
  /** The key that the call was sent with. */
  idempotency_key: string | undefined
}

/**
 * Calls an operation and returns its body together with the rest of the response.
 *
 *     const { body, is_replayed } = await answerOf(plaza.spendPoints, { amount: 5 }, { idempotency_key: order })
 */
export async function answerOf<Input, Options extends CallOptions, Body>(
  call: (input: Input, options?: Options) => Promise<Body>,
  input: Input,
  options?: Options,
): Promise<Answer & { body: Body }> {
  const answers: Answer[] = []
  const on_answer = (answer: Answer) => {
    answers.push(answer)
    options?.on_answer?.(answer)
  }
  const body = await call(input, { ...options, on_answer } as unknown as Options)
  return { ...(answers[0] as Answer), body }
}
