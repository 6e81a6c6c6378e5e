import { tab_storage } from '../storage.ts'

/** The code in the fragment of a mailed link; empty without one. */
export const codeFromHash = (hash: string) => new URLSearchParams(hash).get('code') ?? ''

/** The `sessionStorage` key of a page's code. */
export const mailedCodeKey = (path: string) => `plaza.mailed-code ${path}`

/** Stores the code of a mailed link for this tab during a sign-in, so that no URL that a server sees contains it. */
export function storeMailedCode(path: string, hash: string) {
  const code = codeFromHash(hash)
  if (code) tab_storage.set(mailedCodeKey(path), code)
}
