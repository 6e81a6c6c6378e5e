// Runs before the first paint of the documentation: the colour scheme that was chosen in the console.
try {
  const scheme = localStorage.getItem('plaza.scheme')
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme
} catch {
  // Without storage the scheme is that of the system.
}
