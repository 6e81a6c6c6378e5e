/** How the build describes the chunks of each page beside `base`. */
interface Preloads {
  files: string[]
  pages: Record<string, number[]>
}

/** Whether a route path is that of the address. */
function matchesLocation(path: string) {
  const segments = path.split('/')
  const here = location.pathname.split('/')
  return (
    segments.length === here.length && segments.every((segment, at) => segment.startsWith('$') || segment === here[at])
  )
}

function isSignedIn() {
  try {
    return localStorage.getItem('plaza.session') !== null
  } catch {
    return false
  }
}

/**
 * Preloads the chunks of the page, for signed-in users only: others may be redirected. This is the first module of `base`:
 * pages without parameters have been preloaded by `public/early.js`.
 */
function preloadPage() {
  const { content = '' } = document.querySelector<HTMLMetaElement>('meta[name=plaza-preloads]') ?? {}
  if (!content.startsWith('{') || !isSignedIn()) return
  const { files, pages } = JSON.parse(content) as Preloads
  const page = Object.keys(pages).find(matchesLocation) ?? ''
  for (const at of pages[page] ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: files[at] }))
}

preloadPage()
