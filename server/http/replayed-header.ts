/** Says that this is the first answer to the same Idempotency-Key, told again (D-09). */
export const replayedHeader = (replayed: boolean): Record<string, string> =>
  replayed ? { 'idempotency-replayed': 'true' } : {}
