import { Drawer as KitDrawer, Modal as KitModal, type DrawerProps, type ModalProps } from '@mantine/core'
import { use, useCallback, useRef, useState, type ReactNode } from 'react'
import { Confirm } from './confirm.tsx'
import { useDialog } from './dialog-stack.ts'
import { UnsavedContext, useUnsaved } from './unsaved.ts'

interface Guard {
  /** Is something entered that would be lost? Contract forms inside tell it themselves. */
  dirty?: boolean
  /** Is a call on its way whose answer is shown here? Nothing closes the dialog before that. */
  busy?: boolean
}

/** The kit's modal, as one of a stack: nothing beneath it hears Escape, and what was typed is not dropped unasked. */
export function Modal({ dirty, busy, children, ...kit }: ModalProps & Guard) {
  const { props, around } = useGuard(kit, { dirty, busy })
  return (
    <KitModal {...kit} {...props}>
      {around(children)}
    </KitModal>
  )
}

/** The same at the side of the window. */
export function Drawer({ dirty, busy, children, ...kit }: DrawerProps & Guard) {
  const { props, around } = useGuard(kit, { dirty, busy })
  return (
    <KitDrawer {...kit} {...props}>
      {around(children)}
    </KitDrawer>
  )
}

interface Closing {
  opened: boolean
  onClose: () => void
  closeOnEscape?: boolean | undefined
  closeButtonProps?: object | undefined
}

function useGuard(kit: Closing, { dirty = false, busy = false }: { [Name in keyof Guard]: boolean | undefined }) {
  const { opened, onClose, closeOnEscape = true, closeButtonProps } = kit
  const [asking, setAsking] = useState(false)
  const unsaved = useRef(new Set<string>())
  const reportFurther = use(UnsavedContext)
  const report = useCallback(
    (form: string, holds: boolean) => {
      if (holds) unsaved.current.add(form)
      else unsaved.current.delete(form)
      reportFurther(form, holds)
    },
    [reportFurther],
  )
  useUnsaved(opened && dirty)
  const close = () => {
    if (busy) return
    if (dirty || unsaved.current.size > 0) setAsking(true)
    else onClose()
  }
  useDialog(opened, () => {
    if (closeOnEscape) close()
  })
  const around = (children: ReactNode) => (
    <UnsavedContext value={report}>
      {children}
      <Confirm
        opened={opened && asking}
        title="Discard your changes?"
        action="Discard"
        cancel="Keep editing"
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          onClose()
        }}
      >
        It is not saved yet.
      </Confirm>
    </UnsavedContext>
  )
  const props = {
    onClose: close,
    closeOnEscape: false,
    returnFocus: false,
    closeButtonProps: { 'aria-label': 'Close', ...closeButtonProps, disabled: busy },
  }
  return { props, around }
}
