/** Where a sign-in leads on to: only an address of the console itself counts. */
export const safeNext = (next: unknown) =>
  typeof next === 'string' && /^\/(?![/\\])/.test(next) && new URL(next, location.origin).origin === location.origin
    ? next
    : '/'
