import type { ReactNode } from 'react'
import { Drawer } from '../../ui/dialog.tsx'

interface EditDrawerProps {
  opened: boolean
  title: ReactNode
  onClose: () => void
  children: ReactNode
}

/** The place at the side where something is changed. A slip beside it closes nothing, and what was typed is asked about. */
export const EditDrawer = ({ opened, title, onClose, children }: EditDrawerProps) => (
  <Drawer opened={opened} onClose={onClose} closeOnClickOutside={false} position="right" size="md" title={title}>
    {opened && children}
  </Drawer>
)
