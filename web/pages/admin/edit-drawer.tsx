import type { ReactNode } from 'react'
import { Drawer } from '../../ui/dialog.tsx'

interface EditDrawerProps {
  opened: boolean
  title: ReactNode
  onClose: () => void
  children: ReactNode
}

/** A drawer for edit forms. A click outside does not close it, and unsaved input is confirmed before closing. */
export const EditDrawer = ({ opened, title, onClose, children }: EditDrawerProps) => (
  <Drawer opened={opened} onClose={onClose} closeOnClickOutside={false} position="right" size="md" title={title}>
    {opened && children}
  </Drawer>
)
