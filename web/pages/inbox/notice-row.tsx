import { Badge, Button, Group, Text } from '@mantine/core'
import { isNoticeKind, notice_kind_looks, NoticeLink, noticeText, type Notice } from '../../kinds.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../texts.ts'
import classes from '../account/list.module.css'

interface RowProps {
  notice: Notice
  onRead: () => void
}

/** One notice: a link to its page, which marks it as read. */
export function NoticeRow({ notice, onRead }: RowProps) {
  const text = noticeText(notice)
  const icon = isNoticeKind(notice.kind) ? notice_kind_looks[notice.kind].icon : 'bell'
  return (
    <li className={classes.row}>
      <Text c="dimmed" component="span" lh={1}>
        <Icon name={icon} size={22} />
      </Text>
      <div>
        <Group gap="xs">
          <NoticeLink notice={notice} onClick={onRead}>
            <Text span fw={notice.is_read ? 400 : 650} className="user-content">
              {text}
            </Text>
          </NoticeLink>
          {!notice.is_read && <Badge size="sm">{t('inbox.notice-row.new')}</Badge>}
        </Group>
        {notice.reason !== null && (
          <Text size="sm" className="user-content">
            {notice.reason}
          </Text>
        )}
        <RelativeTime at={notice.happened_at} fz="sm" c="dimmed" />
      </div>
      {!notice.is_read && (
        <Button
          size="xs"
          variant="default"
          onClick={onRead}
          aria-label={t('inbox.notice-row.mark-as-read', { text })}
          className={classes.action}
        >
          {t('inbox.notice-row.read')}
        </Button>
      )}
    </li>
  )
}
