/** The path to open after a sign-in: `next` if it has this origin, otherwise `/` (prevents an open redirect). */
const safeNext = (next: unknown) =>
  typeof next === 'string' && /^\/(?![/\\])/.test(next) && new URL(next, location.origin).origin === location.origin
    ? next
    : '/'

/** The same for the router: pages of the documentation are separate documents. */
export function nextTarget(next: unknown) {
  const href = safeNext(next)
  return { href, reloadDocument: /^\/docs(?:[/?#]|$)/.test(href) }
}

/** The search parameters that keep `next`; empty if it has another origin. */
export const nextSearch = (next: unknown) => {
  const safe = safeNext(next)
  return safe === '/' ? {} : { next: safe }
}
