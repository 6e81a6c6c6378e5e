import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

const codeIn = (hash: string) => new URLSearchParams(hash).get('code') ?? ''
const keyOf = (path: string) => `plaza.mailed-code ${path}`

/**
 * Keeps the code of a mailed link for this tab while its reader signs in first: it is part of no address that a server
 * gets to see. Where nothing can be kept, the code is typed by hand.
 */
export function keepMailedCode(path: string, hash: string) {
  const code = codeIn(hash)
  if (!code) return
  try {
    sessionStorage.setItem(keyOf(path), code)
  } catch {
    // Nothing to do: see above.
  }
}

function keptCode(path: string): string {
  try {
    return sessionStorage.getItem(keyOf(path)) ?? ''
  } catch {
    return ''
  }
}

function dropKeptCode(path: string) {
  try {
    sessionStorage.removeItem(keyOf(path))
  } catch {
    // Then there is none either.
  }
}

/**
 * The code of a link in a mail. It stands behind the `#`, which browsers send to nobody, or was kept over a sign-in; it is
 * taken out of the address and of what was kept as soon as it is read.
 */
export function useMailedCode(): string {
  const router = useRouter()
  const [{ code, path, in_address }] = useState(() => {
    const { hash, pathname } = router.latestLocation
    const given = codeIn(hash)
    return { code: given || keptCode(pathname), path: pathname, in_address: given !== '' }
  })
  useEffect(() => {
    dropKeptCode(path)
    if (in_address) void router.navigate({ to: '.', hash: '', search: true, replace: true })
  }, [path, in_address, router])
  return code
}
