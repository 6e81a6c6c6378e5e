import { Group, Switch, Text } from '@mantine/core'
import { changeNoticeSetting, listNoticeSettings } from '../../../contract/notices.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { isNoticeKind, notice_kind_looks } from '../../kinds.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'
import { Devices } from './devices.tsx'
import { useThisDevice, type ThisDevice } from './this-device.ts'

type Setting = AnswerOf<typeof listNoticeSettings>['settings'][number]

/** The kinds of notices in the inbox, by mail and on this device. */
export default function NoticeSettings() {
  const query = useApiQuery(listNoticeSettings, {})
  const device = useThisDevice()
  return (
    <>
      <PageHead
        narrow
        title={t('common.notices')}
        about={t('inbox.notice-settings.about')}
        actions={
          <LinkButton to="/inbox" size="sm" variant="default">
            {t('inbox.notice-settings.see-your-inbox')}
          </LinkButton>
        }
      />
      <Devices device={device} />
      <Section maw={760}>
        <QueryResult query={query} rows={7}>
          {({ settings }) => (
            <Rows label={t('inbox.notice-settings.kinds-of-notices')}>
              {settings
                .filter(({ kind }) => isNoticeKind(kind))
                .map((setting) => (
                  <Kind key={setting.kind} setting={setting} device={device} />
                ))}
            </Rows>
          )}
        </QueryResult>
      </Section>
    </>
  )
}

function Kind({ setting: { kind, ...setting }, device }: { setting: Setting; device: ThisDevice }) {
  const change = useApiMutation(changeNoticeSetting, { invalidates: [listNoticeSettings] })
  const { icon, name: name_key, about } = notice_kind_looks[kind]
  const name = t(name_key)
  // Shows the choice before the list is refetched.
  const shown = { ...setting, ...(change.isPending && change.variables?.body) }
  const set = (body: Partial<typeof setting>) => change.mutate({ params: { kind }, body })
  return (
    <Row
      lead={icon}
      action={
        <Group gap="md">
          <Switch
            label={t('common.inbox')}
            aria-label={t('inbox.notice-settings.in-the-inbox', { name })}
            checked={shown.console}
            onChange={({ currentTarget: { checked } }) => set({ console: checked })}
          />
          <Switch
            label={t('inbox.notice-settings.mail')}
            aria-label={t('inbox.notice-settings.by-mail', { name })}
            checked={shown.mail}
            onChange={({ currentTarget: { checked } }) => set({ mail: checked })}
          />
          {device.is_on && (
            <Switch
              label={t('inbox.notice-settings.device')}
              aria-label={t('inbox.notice-settings.on-this-device', { name })}
              checked={device.has(kind)}
              onChange={({ currentTarget: { checked } }) => device.set(kind, checked)}
            />
          )}
        </Group>
      }
    >
      <Text fw={550}>{name}</Text>
      <Text size="sm" c="dimmed">
        {t(about)}
      </Text>
      <FailureNote error={change.error} />
    </Row>
  )
}
