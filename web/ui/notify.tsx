import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { onUserChange } from '../session/session.ts'
import { Icon } from './icon.tsx'
import { t } from '../texts.ts'

/** The notifications of one user are not shown to the next. */
onUserChange(() => notifications.clean())

/**
 * Shows a notification of a success, or of a failure other than a failed call. Failed calls are shown in place, by
 * `<FailureNote>`.
 */
export const notify = (message: ReactNode, { failed = false } = {}) =>
  notifications.show({
    message,
    icon: <Icon name={failed ? 'alert' : 'check'} />,
    color: failed ? 'red' : 'plaza',
    closeButtonProps: { 'aria-label': t('ui.notify.close-the-note') },
  })
