import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { codeFromHash, mailedCodeKey } from '../session/mailed-code-storage.ts'
import { tab_storage } from '../storage.ts'

/**
 * The code of a mailed link: from the URL's fragment, which browsers do not send to servers, or from `sessionStorage`
 * after a sign-in. Reading removes it from both.
 */
export function useMailedCode(): string {
  const router = useRouter()
  const [{ code, path, in_address }] = useState(() => {
    const { hash, pathname } = router.latestLocation
    const given = codeFromHash(hash)
    return { code: given || (tab_storage.get(mailedCodeKey(pathname)) ?? ''), path: pathname, in_address: given !== '' }
  })
  useEffect(() => {
    tab_storage.set(mailedCodeKey(path), undefined)
    if (in_address) void router.navigate({ to: '.', hash: '', search: true, replace: true })
  }, [path, in_address, router])
  return code
}
