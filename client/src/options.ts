/** What every call takes beside its input. What is not given here is as `openPlaza` was told. */
export interface CallOptions {
  /** Ends the call with `aborted`, wherever it is. */
  signal?: AbortSignal | undefined
  /** For how long one attempt may wait for its answer; 30 by default. */
  timeout_seconds?: number | undefined
  /** How often a call is repeated that failed and may be repeated; 3 by default. */
  retries?: number | undefined
  /** A longer `Retry-After` is not waited for: the call fails with it. 30 by default. */
  retry_after_max_seconds?: number | undefined
  /** Called with the answer, before the call resolves with its body. */
  on_answer?: ((answer: Answer) => void) | undefined
}

/** For calls that take an `Idempotency-Key`. */
export interface KeyedOptions extends CallOptions {
  /** Your own name for what this call does, such as an order number: the same key does it once. By default a random one. */
  idempotency_key?: string | undefined
}

/** For streams of events. */
export interface StreamOptions {
  /** Ends the stream with `aborted`. */
  signal?: AbortSignal | undefined
  /** Continues after this event, which was the last one of an earlier stream. */
  last_event_id?: string | undefined
  /** A connection without a sign of life for so long is given up and made anew; 45 by default. */
  idle_seconds?: number | undefined
  /** How many attempts to connect may fail one after the other before the stream fails; without end by default. */
  retries?: number | undefined
  /** Called whenever a connection is made: what happens from here on is told. Then read what the events change. */
  on_connected?: (() => void) | undefined
  /** Called when the connection is lost, before the next one is made in `seconds`. */
  on_interrupted?: ((why: Interruption) => void) | undefined
}

export interface Interruption {
  /** Undefined where the service ended the connection, as it does when it is restarted. */
  error: Error | undefined
  seconds: number
}

/** What an answer tells beside its body. */
export interface Answer {
  status: number
  headers: Headers
  /** True where the call had been done before, with the same key: nothing was done again. */
  is_replayed: boolean
  /** Names the request in the service's log. */
  request_id: string | undefined
  /** The key that the call was sent with. */
  idempotency_key: string | undefined
}

/**
 * The body of an answer with what else it tells.
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
