/** The header of a response that repeats the first response to the same Idempotency-Key (D-09). */
export const replayedHeader = (replayed: boolean): Record<string, string> =>
  replayed ? { 'idempotency-replayed': 'true' } : {}
