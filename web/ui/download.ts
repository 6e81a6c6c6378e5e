/** Saves a text as a file through the browser. Nothing is sent to a server. */
export function download(name: string, content: string, type = 'text/plain') {
  const address = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
