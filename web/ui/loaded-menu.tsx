import { Menu } from '@mantine/core'
import { cloneElement, useLayoutEffect, useRef, type ReactElement, type ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { MenuItemContext, type MenuItemProps } from './menu-item.tsx'
import { isFocusLost } from './page-title.tsx'

/** The menu of a button that has been pressed: it opens when it is mounted. */
export default function LoadedMenu({ button, children }: { button: ReactElement<object>; children: ReactNode }) {
  const target = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    // The button is mounted again, and closing the menu returns the focus to the element that had it.
    if (isFocusLost(document)) target.current?.focus({ preventScroll: true })
    target.current?.click()
  }, [])
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>{cloneElement(button, { ref: target } as object)}</Menu.Target>
      <Menu.Dropdown>
        <MenuItemContext value={renderItem}>{children}</MenuItemContext>
      </Menu.Dropdown>
    </Menu>
  )
}

const renderItem = ({ icon, ...rest }: MenuItemProps) => (
  <Menu.Item leftSection={icon && <Icon name={icon} size={16} />} {...rest} />
)
