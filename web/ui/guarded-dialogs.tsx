import { Drawer as MantineDrawer, Modal as MantineModal, type DrawerProps, type ModalProps } from '@mantine/core'
import { use, useCallback, useRef, useState, type ReactNode } from 'react'
import ConfirmDialog from './confirm-dialog.tsx'
import { useDialog } from './dialog-stack.ts'
import { UnsavedContext, useUnsaved } from './unsaved.ts'
import { t } from '../texts.ts'

interface Guard {
  /** Whether unsaved input would be lost. Contract forms inside report theirs themselves. */
  dirty?: boolean
  /** Whether a call is in flight; the dialog cannot be closed then. */
  busy?: boolean
}

/**
 * Mantine's modal in the dialog stack: Escape closes only the topmost, and unsaved input is discarded only after
 * confirmation.
 */
export function Modal({ dirty, busy, children, ...rest }: ModalProps & Guard) {
  const { props, withGuard } = useGuard(rest, { dirty, busy })
  return (
    <MantineModal {...rest} {...props}>
      {withGuard(children)}
    </MantineModal>
  )
}

/** The same for Mantine's drawer. */
export function Drawer({ dirty, busy, children, ...rest }: DrawerProps & Guard) {
  const { props, withGuard } = useGuard(rest, { dirty, busy })
  return (
    <MantineDrawer {...rest} {...props}>
      {withGuard(children)}
    </MantineDrawer>
  )
}

interface ClosableDialog {
  opened: boolean
  onClose: () => void
  closeOnEscape?: boolean | undefined
  closeButtonProps?: object | undefined
}

function useGuard(
  dialog: ClosableDialog,
  { dirty = false, busy = false }: { [Name in keyof Guard]: boolean | undefined },
) {
  const { opened, onClose, closeOnEscape = true, closeButtonProps } = dialog
  const [asking, setAsking] = useState(false)
  const unsaved = useRef(new Set<string>())
  const reportToParent = use(UnsavedContext)
  const report = useCallback(
    (form: string, holds: boolean) => {
      if (holds) unsaved.current.add(form)
      else unsaved.current.delete(form)
      reportToParent(form, holds)
    },
    [reportToParent],
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
  const withGuard = (children: ReactNode) => (
    <UnsavedContext value={report}>
      {children}
      <ConfirmDialog
        opened={opened && asking}
        title={t('ui.guarded-dialogs.discard-your-changes')}
        action={t('common.discard')}
        cancel={t('ui.guarded-dialogs.keep-editing')}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          onClose()
        }}
      >
        {t('ui.guarded-dialogs.it-is-not-saved-yet')}
      </ConfirmDialog>
    </UnsavedContext>
  )
  const props = {
    onClose: close,
    closeOnEscape: false,
    returnFocus: false,
    closeButtonProps: { 'aria-label': t('common.close'), ...closeButtonProps, disabled: busy },
  }
  return { props, withGuard }
}
