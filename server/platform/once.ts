/** Calls `make` at the first call, and returns its result from then on. */
export function once<Value extends object>(make: () => Value) {
  let made: Value | undefined
  return () => (made ??= make())
}
