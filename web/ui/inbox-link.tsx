import { Badge } from '@mantine/core'
import { useEffect } from 'react'
import { startEvents } from '../api/live-events.ts'
import { unreadText, useUnreadNotices } from '../api/unread-notices.ts'
import { t } from '../texts.ts'
import { Icon } from './icon.tsx'
import { LinkButton } from './link.tsx'

/** The page itself loads first. Pages about people start the stream themselves. */
const follow_after_ms = 3_000

/**
 * The bell in the header: links to the inbox, and shows the number of unread notices. Phones have it in the bottom bar.
 */
export function InboxLink() {
  const unread = useUnreadNotices()
  const shown = unreadText(unread)
  const label = shown !== undefined ? t('ui.inbox-link.inbox-unread', { count: unread, shown }) : t('common.inbox')
  useEffect(() => {
    const timer = setTimeout(startEvents, follow_after_ms)
    return () => clearTimeout(timer)
  }, [])
  return (
    <LinkButton
      to="/inbox"
      visibleFrom="sm"
      variant="subtle"
      color="gray"
      size="xs"
      px="xs"
      aria-label={label}
      title={label}
    >
      <Icon name="bell" />
      {shown !== undefined && (
        <Badge size="sm" ml={4} px={6} miw="max-content">
          {shown}
        </Badge>
      )}
    </LinkButton>
  )
}
