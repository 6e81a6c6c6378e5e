// Runs before the console's code has arrived: sets the colour scheme before the first paint, preloads the page's chunks, and
// makes its first calls.
const stored = (name) => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
const systemScheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
const scheme = ['light', 'dark'].find((known) => known === stored('plaza.scheme')) ?? systemScheme()
document.documentElement.setAttribute('data-mantine-color-scheme', scheme)

/** The chunks of the page beside `base`. A path with parameters is left to `web/preload.ts`. */
function preloadChunks({ files, pages }) {
  for (const at of pages[location.pathname] ?? []) {
    const link = { rel: 'modulepreload', href: files[at], fetchPriority: 'low' }
    document.head.append(Object.assign(document.createElement('link'), link))
  }
}

/** Calls as the signed-in user; `web/api/early-answers.ts` takes the answers. */
function callEarly(calls, { token }) {
  const authorization = `Bearer ${token}`
  const answers = new Map()
  const call = ({ path, body, next }) => {
    const method = body ? 'POST' : 'GET'
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
    const answer = fetch(path, { method, headers, body }).then(async (response) => {
      if (next && response.ok) call({ path: next.replace('{id}', (await response.clone().json()).id) })
      return response
    })
    answers.set(
      `${method} ${path} ${body ?? ''}`,
      answer.catch(() => undefined),
    )
  }
  calls.forEach(call)
  globalThis.plaza_early = { authorization, answers }
}

function start() {
  const preloads = JSON.parse(document.querySelector('meta[name=plaza-preloads]').content)
  const session = JSON.parse(stored('plaza.session'))
  if (!session) return
  preloadChunks(preloads)
  const calls = preloads.calls[location.pathname]
  if (calls && location.search === '') callEarly(calls, session)
}

try {
  start()
} catch {
  // A stored session that cannot be read is none, and the development server lists no calls.
}
