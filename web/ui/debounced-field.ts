import { useDebouncedValue } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/**
 * The state of a field that is debounced into a URL parameter (undefined if empty) and follows the URL when a link
 * changes it. It does not replace a page that is opened in the meantime with a search of this one.
 */
export function useDebouncedField(value: string, onSettled: (text: string | undefined) => void) {
  const router = useRouter()
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed.trim(), 250)
  const last = useRef(value)
  const callback = useRef(onSettled)
  useEffect(() => {
    callback.current = onSettled
  })
  useEffect(() => {
    if (settled === last.current) return
    last.current = settled
    const { location, resolvedLocation } = router.state
    if (location.pathname === resolvedLocation?.pathname) callback.current(settled === '' ? undefined : settled)
  }, [settled, router])
  useEffect(() => {
    if (value === last.current) return
    last.current = value
    setTyped(value)
  }, [value])
  return [typed, setTyped] as const
}
