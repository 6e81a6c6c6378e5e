import { createContext, use, type ReactNode } from 'react'
import type { IconName } from './icon.tsx'

export interface MenuItemProps {
  icon?: IconName
  className?: string | undefined
  'aria-label'?: string
  onClick: () => void
  disabled?: boolean
  children: ReactNode
}

/** Renders an item of the surrounding menu, which is loaded when it is opened. */
export const MenuItemContext = createContext<(props: MenuItemProps) => ReactNode>(() => null)

export const MenuItem = (props: MenuItemProps) => use(MenuItemContext)(props)
