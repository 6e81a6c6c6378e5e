/** Saves a text as a file through the browser. Nothing is sent to a server. */
export const download = (name: string, content: string, type = 'text/plain') =>
  downloadBlob(name, new Blob([content], { type: `${type};charset=utf-8` }))

export function downloadBlob(name: string, content: Blob) {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
