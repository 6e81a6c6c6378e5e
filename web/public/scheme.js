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
