// Runs before the console's code has arrived: sets the colour scheme before the first paint, and preloads what every signed-in
// user needs.
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

// The development server lists no chunks.
if (stored('plaza.session') !== null)
  for (const { content: href } of document.querySelectorAll('meta[name=plaza-signed-in]')) {
    const link = { rel: 'modulepreload', href, fetchPriority: 'low' }
    document.head.append(Object.assign(document.createElement('link'), link))
  }
