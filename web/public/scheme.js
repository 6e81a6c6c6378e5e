// Before the first paint: the scheme that was chosen here, else the system's.
const chosenScheme = () => {
  try {
    return localStorage.getItem('plaza.scheme')
  } catch {
    return null
  }
}
const systemScheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
const scheme = ['light', 'dark'].find((known) => known === chosenScheme()) ?? systemScheme()
document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
