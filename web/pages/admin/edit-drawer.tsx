import { Drawer } from '@mantine/core'
import { createContext, useContext, useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { Confirm } from '../../ui/confirm.tsx'

const Unsaved = createContext<(form: string, dirty: boolean) => void>(() => undefined)

/** Tells the drawer around a form whether closing it would lose what was typed. */
export function useUnsaved(dirty: boolean) {
  const tell = useContext(Unsaved)
  const form = useId()
  useEffect(() => {
    tell(form, dirty)
    return () => tell(form, false)
  }, [tell, form, dirty])
}

interface EditDrawerProps {
  opened: boolean
  title: ReactNode
  onClose: () => void
  children: ReactNode
}

/** The place at the side where something is changed. A slip beside it closes nothing, and what was typed is asked about. */
export function EditDrawer({ opened, title, onClose, children }: EditDrawerProps) {
  const dirty = useRef(new Set<string>())
  const [asking, setAsking] = useState(false)
  const [tell] = useState(() => (form: string, is_dirty: boolean) => {
    if (is_dirty) dirty.current.add(form)
    else dirty.current.delete(form)
  })
  const close = () => (dirty.current.size > 0 ? setAsking(true) : onClose())
  const discard = () => {
    setAsking(false)
    onClose()
  }
  return (
    <Unsaved value={tell}>
      <Drawer
        opened={opened}
        onClose={close}
        closeOnClickOutside={false}
        closeOnEscape={!asking}
        position="right"
        size="md"
        title={title}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {opened && children}
      </Drawer>
      {asking && (
        <Confirm
          opened
          title="Close without saving?"
          action="Close without saving"
          onClose={() => setAsking(false)}
          onConfirm={discard}
        >
          What you have changed here is lost.
        </Confirm>
      )}
    </Unsaved>
  )
}
