// Before the first paint: the scheme that was chosen here, else the system's.
const kept = (name) => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
const systemScheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
const scheme = ['light', 'dark'].find((known) => known === kept('plaza.scheme')) ?? systemScheme()
document.documentElement.setAttribute('data-mantine-color-scheme', scheme)

// What the page needs is fetched beside what every page needs; somebody who is not signed in may be sent elsewhere first.
const { parts } = document.currentScript.dataset
const signed_in = kept('plaza.session') !== null
const word = location.pathname.split('/')[1]
if (parts?.startsWith('{'))
  for (const href of JSON.parse(parts)[signed_in ? word : 'none'] ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
