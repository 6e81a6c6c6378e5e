import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { codeFromHash, mailedCodeKey } from '../session/mailed-code-storage.ts'

function keptCode(path: string): string {
  try {
    return sessionStorage.getItem(mailedCodeKey(path)) ?? ''
  } catch {
    return ''
  }
}

function dropKeptCode(path: string) {
  try {
    sessionStorage.removeItem(mailedCodeKey(path))
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
    const given = codeFromHash(hash)
    return { code: given || keptCode(pathname), path: pathname, in_address: given !== '' }
  })
  useEffect(() => {
    dropKeptCode(path)
    if (in_address) void router.navigate({ to: '.', hash: '', search: true, replace: true })
  }, [path, in_address, router])
  return code
}
