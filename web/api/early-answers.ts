declare global {
  /** The calls that `public/early.js` has made for the page, by method, path and body. */
  var plaza_early: { authorization: string; answers: Map<string, Promise<Response | undefined>> } | undefined
}

/** Like `fetch`, but a call that `early.js` has made with the same token is not made again: its answer is taken, once. */
export const fetchEarly: typeof fetch = async (input, init) => (await takeEarly(input, init)) ?? fetch(input, init)

function takeEarly(input: RequestInfo | URL, { method = 'GET', headers, body }: RequestInit = {}) {
  const early = globalThis.plaza_early
  if (!early || typeof input !== 'string' || new Headers(headers).get('authorization') !== early.authorization)
    return undefined
  const key = `${method} ${input.slice(location.origin.length)} ${typeof body === 'string' ? body : ''}`
  const answer = early.answers.get(key)
  early.answers.delete(key)
  return answer
}

/** Forgets what no first read has taken: later reads want the state of their own time. */
export const forgetEarlyAnswers = () => {
  globalThis.plaza_early = undefined
}
