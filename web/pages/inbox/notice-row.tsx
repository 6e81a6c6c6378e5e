import { ActionIcon, Badge, Group, Text } from '@mantine/core'
import { isNoticeKind, notice_kind_looks, NoticeLink, noticeText, type Notice } from '../../kinds.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Row } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'

interface RowProps {
  notice: Notice
  onRead: () => void
}

/** One notice: a link to its page, which marks it as read. */
export function NoticeRow({ notice, onRead }: RowProps) {
  const text = noticeText(notice)
  const icon = isNoticeKind(notice.kind) ? notice_kind_looks[notice.kind].icon : 'bell'
  return (
    <Row
      lead={icon}
      action={
        !notice.is_read && (
          <ActionIcon
            size="lg"
            variant="subtle"
            color="gray"
            onClick={onRead}
            title={t('inbox.notice-row.read')}
            aria-label={t('inbox.notice-row.mark-as-read', { text })}
          >
            <Icon name="check" />
          </ActionIcon>
        )
      }
    >
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
    </Row>
  )
}
