// Sets the colour scheme before the first paint: the stored one, else the system's.
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

// Preloads the chunks of the page, for signed-in users only: others may be redirected.
const { preloads = '' } = document.currentScript.dataset
const path_segments = location.pathname.split('/')
const matchesLocation = (path) => {
  const segments = path.split('/')
  return (
    segments.length === path_segments.length &&
    segments.every((segment, at) => segment.startsWith('$') || segment === path_segments[at])
  )
}
if (preloads.startsWith('{') && stored('plaza.session') !== null) {
  const { files, pages } = JSON.parse(preloads)
  const page = Object.keys(pages).find(matchesLocation)
  for (const file of pages[page] ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: files[file] }))
}
