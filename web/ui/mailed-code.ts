import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/**
 * The code of a link in a mail. It stands behind the `#`, which browsers send to nobody, and is taken out of the address
 * as soon as it is read.
 */
export function useMailedCode(): string {
  const router = useRouter()
  const [code] = useState(() => new URLSearchParams(router.latestLocation.hash).get('code') ?? '')
  useEffect(() => {
    if (code) void router.navigate({ to: '.', hash: '', search: true, replace: true })
  }, [code, router])
  return code
}
