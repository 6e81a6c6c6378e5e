import { Badge, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { notices, type NoticePage } from '../../../contract/kinds/notices.ts'
import { RelativeTime } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'
import classes from '../account/list.module.css'
import { kind_icons, noticeText, type Notice } from './notice-texts.ts'

interface RowProps {
  notice: Notice
  onRead: () => void
}

/** One notice: a link to its page, which marks it as read. */
export function NoticeRow({ notice, onRead }: RowProps) {
  const text = noticeText(notice)
  return (
    <li className={classes.row}>
      <Text c="dimmed" component="span" lh={1}>
        <Icon name={kind_icons[notice.kind]} size={22} />
      </Text>
      <div>
        <Group gap="xs">
          <NoticeLink notice={notice} onRead={onRead}>
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

interface Shared {
  onClick: () => void
  children: ReactNode
  underline: 'hover'
  c: 'inherit'
}

const links: Record<NoticePage, (notice: Notice, shared: Shared) => ReactNode> = {
  friends: (_, shared) => <Link to="/friends" {...shared} />,
  chat: ({ subject_name: table }, shared) =>
    table === null ? (
      <Link to="/chat" {...shared} />
    ) : (
      <Link to="/chat" search={{ table, open: [table] }} {...shared} />
    ),
  app: ({ app_id }, shared) => <Link to="/apps/$id" params={{ id: app_id ?? '' }} {...shared} />,
  app_webhooks: ({ app_id }, shared) => (
    <Link to="/apps/$id" params={{ id: app_id ?? '' }} search={{ tab: 'webhooks' }} {...shared} />
  ),
  points: (_, shared) => <Link to="/points" {...shared} />,
  reports: ({ app_id }, shared) =>
    app_id === null ? <Link to="/reports" {...shared} /> : <Link to="/apps/$id" params={{ id: app_id }} {...shared} />,
  deployment: ({ subject_id, app_id }, shared) => (
    <Link to="/deployments/$id" params={{ id: subject_id ?? '' }} search={{ app: app_id ?? '' }} {...shared} />
  ),
  review: (_, shared) => <Link to="/admin/review" {...shared} />,
  review_changed: (_, shared) => <Link to="/admin/review" search={{ what: 'changed' }} {...shared} />,
  review_scopes: (_, shared) => <Link to="/admin/review" search={{ what: 'scopes' }} {...shared} />,
  cases: (_, shared) => <Link to="/admin/reports" {...shared} />,
}

/** The link to the page that a notice is about. */
const NoticeLink = ({ notice, onRead, children }: RowProps & { children: ReactNode }) =>
  links[notices[notice.event].page](notice, { onClick: onRead, children, underline: 'hover', c: 'inherit' })
