import ConfirmDialog from './confirm-dialog.tsx'
import { leaveConfirmation } from './unsaved.ts'

/** Asks before a page with unsaved changes is left. */
export default function LeaveDialog() {
  return (
    <ConfirmDialog
      opened
      title="Leave without saving?"
      action="Leave"
      cancel="Stay on this page"
      onClose={() => leaveConfirmation.answer(false)}
      onConfirm={() => leaveConfirmation.answer(true)}
    >
      What you entered here is not saved yet. If you leave, it is lost.
    </ConfirmDialog>
  )
}
