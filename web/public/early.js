// Runs before the console's code has arrived: sets the colour scheme before the first paint, and makes the page's first calls.
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

/** Calls as the signed-in user; `web/api/early-answers.ts` takes the answers. */
function callEarly() {
  const { calls } = JSON.parse(document.querySelector('meta[name=plaza-preloads]').content)
  const session = JSON.parse(stored('plaza.session'))
  if (!session || location.search !== '' || !calls[location.pathname]) return
  const authorization = `Bearer ${session.token}`
  const answers = new Map()
  for (const { path, body } of calls[location.pathname]) {
    const method = body ? 'POST' : 'GET'
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
    answers.set(
      `${method} ${path} ${body ?? ''}`,
      fetch(path, { method, headers, body }).catch(() => undefined),
    )
  }
  globalThis.plaza_early = { authorization, answers }
}

try {
  callEarly()
} catch {
  // A stored session that cannot be read is none, and the development server lists no calls.
}
