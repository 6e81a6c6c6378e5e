import {
  cloneElement,
  createContext,
  use,
  useState,
  type ComponentType,
  type ReactElement,
  type ReactNode,
} from 'react'
import type { IconName } from './icon.tsx'
import { ChunkErrorNote, lazyComponent } from './lazy-component.tsx'

const LoadedMenu = lazyComponent(() => import('./loaded-menu.tsx'))

interface MenuProps {
  /** The button that opens the menu. */
  button: ReactElement<object>
  /** `MenuItem`s, or components that render them. */
  children: ReactNode
}

/**
 * A button with a menu. The menu is loaded and mounted when the button is first pressed: lists have one for each row.
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

export interface MenuItemProps {
  icon: IconName
  onClick: () => void
  disabled?: boolean
  children: ReactNode
}

/** The component of menu items, given by the loaded menu. */
export const MenuItemContext = createContext<ComponentType<MenuItemProps> | undefined>(undefined)

/** An item of an `ActionMenu`. */
export function MenuItem(props: MenuItemProps) {
  const Item = use(MenuItemContext)
  return Item && <Item {...props} />
}
