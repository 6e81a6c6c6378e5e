// Runs before the first paint of the documentation: applies the colour scheme chosen in the console.
try {
  const scheme = localStorage.getItem('plaza.scheme')
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme
} catch {
  // Without storage, the system's scheme applies.
}
