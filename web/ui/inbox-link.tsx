import { Badge } from '@mantine/core'
import { useEffect, useState } from 'react'
import { unreadText, useFollowedByPage, useUnreadNotices } from '../api/unread-notices.ts'
import { t } from '../texts.ts'
import { Icon } from './icon.tsx'
import { lazyComponent } from './lazy-component.tsx'
import { LinkButton } from './link.tsx'

const NoticeStream = lazyComponent(() => import('./notice-stream.tsx'))
/** The page itself is loaded before. */
const follow_after_ms = 3_000

/** The bell in the header: leads to the inbox, and tells how many notices are unread. */
export function InboxLink() {
  const unread = useUnreadNotices()
  const shown = unreadText(unread)
  const label = shown !== undefined ? t('ui.inbox-link.inbox-unread', { count: unread, shown }) : t('common.inbox')
  return (
    <>
      <LinkButton to="/inbox" variant="subtle" color="gray" size="xs" px="xs" aria-label={label} title={label}>
        <Icon name="bell" />
        {shown !== undefined && (
          <Badge size="sm" ml={4} px={6} miw="max-content">
            {shown}
          </Badge>
        )}
      </LinkButton>
      <Follow />
    </>
  )
}

/** Pages of people have the stream open, with what they need of it. */
function Follow() {
  const has_own = useFollowedByPage()
  const [loaded, setLoaded] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      // Without it the badge stays as it is; the page is not disturbed.
      NoticeStream.fetch().then(
        () => setLoaded(true),
        () => undefined,
      )
    }, follow_after_ms)
    return () => clearTimeout(timer)
  }, [])
  return loaded && !has_own && <NoticeStream />
}
