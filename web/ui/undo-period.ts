import { useEffect, useRef, useState } from 'react'

const undo_ms = 5_000

/**
 * Delays a call that cannot be taken back. `wait` resolves with true after the delay, or at once when the page is left; `undo` is there
 * meanwhile and makes it false.
 */
export function useUndoPeriod() {
  const [undo, setUndo] = useState<() => void>()
  const leave = useRef<() => void>(undefined)
  useEffect(() => () => leave.current?.(), [])
  const wait = () =>
    new Promise<boolean>((resolve) => {
      const end = (goes_on: boolean) => () => {
        clearTimeout(timer)
        removeEventListener('pagehide', goOn)
        leave.current = undefined
        setUndo(undefined)
        resolve(goes_on)
      }
      const goOn = end(true)
      const timer = setTimeout(goOn, undo_ms)
      addEventListener('pagehide', goOn)
      leave.current = goOn
      setUndo(() => end(false))
    })
  return { wait, undo }
}
