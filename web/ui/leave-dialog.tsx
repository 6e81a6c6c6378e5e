import ConfirmDialog from './confirm-dialog.tsx'
import { answerLeaveQuestion } from './unsaved.ts'
import { t } from '../texts.ts'

/** Asks before a page with unsaved changes is left. */
export default function LeaveDialog() {
  return (
    <ConfirmDialog
      opened
      title={t('ui.leave-dialog.leave-without-saving')}
      action={t('common.leave')}
      cancel={t('ui.leave-dialog.stay-on-this-page')}
      onClose={() => answerLeaveQuestion(false)}
      onConfirm={() => answerLeaveQuestion(true)}
    >
      {t('ui.leave-dialog.what-you-entered-here-is-not')}
    </ConfirmDialog>
  )
}
