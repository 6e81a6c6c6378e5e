import ConfirmDialog from './confirm-dialog.tsx'
import { leaveConfirmation } from './unsaved.ts'
import { t } from '../texts.ts'

/** Asks before a page with unsaved changes is left. */
export default function LeaveDialog() {
  return (
    <ConfirmDialog
      opened
      title={t('ui.leave-dialog.leave-without-saving')}
      action={t('common.leave')}
      cancel={t('ui.leave-dialog.stay-on-this-page')}
      onClose={() => leaveConfirmation.answer(false)}
      onConfirm={() => leaveConfirmation.answer(true)}
    >
      {t('ui.leave-dialog.what-you-entered-here-is-not')}
    </ConfirmDialog>
  )
}
