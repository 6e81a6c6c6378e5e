// Runs before the console's code has arrived: sets the colour scheme before the first paint.
const stored = (name) => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
const systemScheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
const scheme = ['light', 'dark'].find((known) => known === stored('plaza.scheme')) ?? systemScheme()
const setScheme = (shown) => document.documentElement.setAttribute('data-mantine-color-scheme', shown)
setScheme(scheme)

// Paper is light.
let on_screen
addEventListener('beforeprint', () => {
  on_screen = document.documentElement.getAttribute('data-mantine-color-scheme')
  setScheme('light')
})
addEventListener('afterprint', () => setScheme(on_screen))
