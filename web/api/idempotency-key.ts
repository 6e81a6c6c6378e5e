/**
 * Names one thing that is to be done, so that sending it again does it once (D-09). `randomUUID` is not there where the
 * console is served without TLS.
 */
export const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
