import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { codeFromHash, mailedCodeKey } from '../session/mailed-code-storage.ts'

function storedCode(path: string): string {
  try {
    return sessionStorage.getItem(mailedCodeKey(path)) ?? ''
  } catch {
    return ''
  }
}

function removeStoredCode(path: string) {
  try {
    sessionStorage.removeItem(mailedCodeKey(path))
  } catch {
    // Storage is disabled: nothing is stored.
  }
}

/**
 * The code of a mailed link, from the URL's fragment, which is not sent to servers, or from `sessionStorage` after a
 * sign-in. It is removed from both once it is read.
 */
export function useMailedCode(): string {
  const router = useRouter()
  const [{ code, path, in_address }] = useState(() => {
    const { hash, pathname } = router.latestLocation
    const given = codeFromHash(hash)
    return { code: given || storedCode(pathname), path: pathname, in_address: given !== '' }
  })
  useEffect(() => {
    removeStoredCode(path)
    if (in_address) void router.navigate({ to: '.', hash: '', search: true, replace: true })
  }, [path, in_address, router])
  return code
}
