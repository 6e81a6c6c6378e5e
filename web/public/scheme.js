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
const { parts = '' } = document.currentScript.dataset
const here = location.pathname.split('/')
const isHere = (path) => {
  const words = path.split('/')
  return words.length === here.length && words.every((word, at) => word.startsWith('$') || word === here[at])
}
if (parts.startsWith('{') && kept('plaza.session') !== null) {
  const { files, pages } = JSON.parse(parts)
  const page = Object.keys(pages).find(isHere)
  for (const file of pages[page] ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: files[file] }))
}
