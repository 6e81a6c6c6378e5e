// Sets the colour scheme before the first paint; the console's code arrives later. `web/main.tsx` stores the choice.
function storedScheme() {
  try {
    return localStorage.getItem('plaza.scheme')
  } catch {
    return null
  }
}
const systemScheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
const scheme = ['light', 'dark'].find((known) => known === storedScheme()) ?? systemScheme()
document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
