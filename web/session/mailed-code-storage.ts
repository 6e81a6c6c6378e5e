/** The code in what stands behind the `#` of a mailed link; empty without one. */
export const codeFromHash = (hash: string) => new URLSearchParams(hash).get('code') ?? ''

/** Under which name the code of a page is kept in `sessionStorage`. */
export const mailedCodeKey = (path: string) => `plaza.mailed-code ${path}`

/**
 * Keeps the code of a mailed link for this tab while its reader signs in first: it is part of no address that a server
 * gets to see. Where nothing can be kept, the code is typed by hand.
 */
export function storeMailedCode(path: string, hash: string) {
  const code = codeFromHash(hash)
  if (!code) return
  try {
    sessionStorage.setItem(mailedCodeKey(path), code)
  } catch {
    // Nothing to do: see above.
  }
}
