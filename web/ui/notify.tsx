import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { onUserChange } from '../session/session.ts'
import { Icon } from './icon.tsx'
import { t } from '../texts.ts'

/** The notifications of one user are not shown to the next. */
onUserChange(() => notifications.clean())

/** Shows a success notification. Errors are shown in place, by `<FailureNote>`. */
export const notify = (message: ReactNode) =>
  notifications.show({
    message,
    icon: <Icon name="check" />,
    color: 'plaza',
    closeButtonProps: { 'aria-label': t('ui.notify.close-the-note') },
  })
