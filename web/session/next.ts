/** Where a sign-in leads on to: only an address of the console itself counts. */
export const safeNext = (next: unknown) =>
  typeof next === 'string' && /^\/(?![/\\])/.test(next) && new URL(next, location.origin).origin === location.origin
    ? next
    : '/'

/** The query that carries on where a sign-in leads to; without a place of the console's own, nothing. */
export const nextSearch = (next: unknown) => {
  const safe = safeNext(next)
  return safe === '/' ? {} : { next: safe }
}
