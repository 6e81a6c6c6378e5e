import { Box, Button, Group, NativeSelect } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { notice_kinds, noticeKindsOf, type NoticeKind } from '../../../contract/kinds/notices.ts'
import { readNotices } from '../../../contract/notice-reads.ts'
import { listNotices } from '../../../contract/notices.ts'
import { ApiError } from '../../api/errors.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { noteUnread, useUnreadNotices } from '../../api/unread-notices.ts'
import { notice_kind_looks } from '../../kinds.tsx'
import { useSession } from '../../session/session.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import { t } from '../../texts.ts'
import { Rows } from '../../ui/rows.tsx'
import { NoticeRow } from './notice-row.tsx'

export default function Inbox() {
  const { kind: named } = useSearch({ from: '/inbox' })
  const kind = notice_kinds.find((one) => one === named)
  const unread = useUnreadNotices()
  const list = usePagedQuery(listNotices, { query: kind === undefined ? {} : { kind } })
  const read = useApiMutation(readNotices, { onDone: (answer) => noteUnread(answer.unread) })
  const newest = list.rows[0]
  const is_gone = read.error instanceof ApiError && read.error.status === 404
  return (
    <>
      <PageHead
        narrow
        title={t('common.inbox')}
        about={t('inbox.inbox.about')}
        actions={
          <LinkButton to="/account/notices" size="sm" variant="default">
            {t('inbox.inbox.what-you-are-told')}
          </LinkButton>
        }
      />
      <Section maw={760}>
        <Group justify="space-between" align="flex-end" mb="md">
          <KindFilter kind={kind} />
          {kind === undefined && newest && unread > 0 && (
            <Button
              size="sm"
              variant="default"
              loading={read.isPending}
              onClick={() => read.mutate({ body: { upto: newest.id } })}
            >
              {t('inbox.inbox.mark-all-as-read')}
            </Button>
          )}
        </Group>
        {!is_gone && read.error && (
          <Box mb="md">
            <FailureNote error={read.error} />
          </Box>
        )}
        <PagedListStates
          list={list}
          lines={5}
          empty={
            <EmptyState icon="bell" title={t('common.nothing-here')}>
              {t('inbox.inbox.friend-requests-messages-decisions')}
            </EmptyState>
          }
        >
          <Rows label={t('common.notices')}>
            {list.rows.map((notice) => (
              <NoticeRow
                key={notice.id}
                notice={notice}
                onRead={() => !notice.is_read && read.mutate({ body: { id: notice.id } })}
              />
            ))}
          </Rows>
        </PagedListStates>
      </Section>
    </>
  )
}

function KindFilter({ kind }: { kind: NoticeKind | undefined }) {
  const { navigate } = useRouter()
  const is_admin = useSession().session?.user.is_admin === true
  const kinds = noticeKindsOf({ is_admin })
  return (
    <NativeSelect
      label={t('inbox.inbox.about-what')}
      value={kind ?? ''}
      data={[
        { value: '', label: t('inbox.inbox.everything') },
        ...kinds.map((value) => ({ value, label: t(notice_kind_looks[value].name) })),
      ]}
      onChange={({ currentTarget: { value } }) =>
        void navigate({
          to: '/inbox',
          search: { kind: kinds.find((one) => one === value) },
          replace: true,
          resetScroll: false,
        })
      }
    />
  )
}
