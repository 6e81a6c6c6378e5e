/**
 * A random idempotency key (D-09): a call repeated with it takes effect once. `crypto.randomUUID` is missing without
 * TLS.
 */
export const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
