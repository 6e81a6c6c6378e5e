import { cloneElement, useState, type ReactElement, type ReactNode } from 'react'
import { ChunkErrorNote, lazyComponent } from './lazy-component.tsx'

const LoadedMenu = lazyComponent(() => import('./loaded-menu.tsx'))

interface MenuProps {
  /** The button that opens the menu. */
  button: ReactElement<object>
  /** `MenuItem`s, or components that render them. */
  children: ReactNode
}

/**
 * A button with a menu. The menu is loaded and mounted when the button is first pressed, because lists have one per
 * row.
 */
export function ActionMenu({ button, children }: MenuProps) {
  const [loaded, setLoaded] = useState(false)
  const [error, setError] = useState<Error>()
  const open = () => {
    setError(undefined)
    LoadedMenu.fetch().then(() => setLoaded(true), setError)
  }
  if (loaded) return <LoadedMenu button={button}>{children}</LoadedMenu>
  const closed = { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: open }
  return (
    <>
      {cloneElement(button, closed)}
      {error && <ChunkErrorNote error={error} onBack={() => setError(undefined)} />}
    </>
  )
}
