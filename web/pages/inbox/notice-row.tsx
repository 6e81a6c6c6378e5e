import { Badge, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
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

interface LinkProps extends RowProps {
  children: ReactNode
}

/** The link to the page that a notice is about. */
function NoticeLink({ notice: { kind, event, subject_id, subject_name, app_id }, onRead, children }: LinkProps) {
  const shared = { onClick: onRead, children, underline: 'hover', c: 'inherit' } as const
  if (kind === 'friends') return <Link to="/friends" {...shared} />
  if (kind === 'messages' && subject_name !== null)
    return <Link to="/chat" search={{ table: subject_name, open: [subject_name] }} {...shared} />
  if (kind === 'points') return <Link to="/points" {...shared} />
  if (kind === 'review') return <ReviewLink event={event} {...shared} />
  if (kind === 'deployments' && subject_id !== null && app_id !== null)
    return <Link to="/deployments/$id" params={{ id: subject_id }} search={{ app: app_id }} {...shared} />
  if (app_id !== null)
    return (
      <Link
        to="/apps/$id"
        params={{ id: app_id }}
        search={kind === 'webhooks' ? { tab: 'webhooks' } : {}}
        {...shared}
      />
    )
  return kind === 'moderation' && event.startsWith('report') ? (
    <Link to="/reports" {...shared} />
  ) : (
    <Link to="/chat" {...shared} />
  )
}

type ReviewLinkProps = Pick<Notice, 'event'> & {
  onClick: () => void
  children: ReactNode
  underline: 'hover'
  c: 'inherit'
}

const ReviewLink = ({ event, ...shared }: ReviewLinkProps) =>
  event === 'cases_wait' ? (
    <Link to="/admin/reports" {...shared} />
  ) : event === 'changed_apps_wait' ? (
    <Link to="/admin/review" search={{ what: 'changed' }} {...shared} />
  ) : event === 'scope_requests_wait' ? (
    <Link to="/admin/review" search={{ what: 'scopes' }} {...shared} />
  ) : (
    <Link to="/admin/review" {...shared} />
  )
