import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { onUserChange } from '../session/session.ts'
import { Icon } from './icon.tsx'

/** What one person was told is not shown to the next. */
onUserChange(() => notifications.clean())

/** Says at the edge of the screen that something is done. What failed belongs where it was asked: `<FailureNote>`. */
export const notify = (message: ReactNode) =>
  notifications.show({
    message,
    icon: <Icon name="check" />,
    color: 'plaza',
    closeButtonProps: { 'aria-label': 'Close the note' },
  })
