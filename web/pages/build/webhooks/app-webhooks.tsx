import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../../contract/webhooks.ts'
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { RelativeTime } from '../../../ui/format.tsx'
import { notify } from '../../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../../ui/page-parts.tsx'
import type { MyApp } from '../access.ts'
import { Deliveries } from './deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import type { Webhook } from './webhook.ts'
import { WebhookSecret } from './webhook-secret.tsx'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

/** The addresses that are told what happens in an app, and the log of what was sent to them. */
export default function AppWebhooks({ app }: { app: MyApp }) {
  const query = useApiQuery(listWebhooks, { params: { id: app.id } })
  const [edited, setEdited] = useState<Webhook | 'new'>()
  const [secret, setSecret] = useState<string>()
  const { webhook: opened } = useSearch({ from: '/apps/$id' })
  const router = useRouter()
  const open = (webhook: string | undefined) =>
    void router.navigate({
      to: '/apps/$id',
      params: { id: app.id },
      search: { tab: 'webhooks', webhook },
      replace: true,
      resetScroll: false,
    })
  return (
    <Stack>
      <Section
        title={t('common.webhooks')}
        about={t('build.app-webhooks.plaza-sends-what-happens-in-the')}
        actions={<Button onClick={() => setEdited('new')}>{t('common.add-an-address')}</Button>}
      >
        <QueryResult query={query}>
          {({ webhooks }) =>
            webhooks.length === 0 ? (
              <EmptyState icon="send" title={t('build.app-webhooks.no-address-yet')}>
                {t('build.app-webhooks.add-one-and-your-server-hears')}
              </EmptyState>
            ) : (
              <Stack gap="lg">
                {webhooks.map((webhook) => (
                  <Entry
                    key={webhook.id}
                    app={app}
                    webhook={webhook}
                    is_open={opened === webhook.id || webhooks.length === 1}
                    onOpen={() => open(opened === webhook.id ? undefined : webhook.id)}
                    onEdit={() => setEdited(webhook)}
                    onSecret={setSecret}
                  />
                ))}
              </Stack>
            )
          }
        </QueryResult>
      </Section>
      {edited !== undefined && (
        <WebhookForm
          app={app}
          webhook={edited === 'new' ? undefined : edited}
          onSecret={setSecret}
          onClose={() => setEdited(undefined)}
        />
      )}
      <Modal
        opened={secret !== undefined}
        onClose={() => {}}
        withCloseButton={false}
        closeOnClickOutside={false}
        closeOnEscape={false}
        size="lg"
        title={t('build.app-webhooks.the-webhooks-secret')}
      >
        {secret !== undefined && <WebhookSecret secret={secret} onDone={() => setSecret(undefined)} />}
      </Modal>
    </Stack>
  )
}

interface EntryProps {
  app: MyApp
  webhook: Webhook
  is_open: boolean
  onOpen: () => void
  onEdit: () => void
  onSecret: (secret: string) => void
}

function Entry({ app, webhook, is_open, onOpen, onEdit, onSecret }: EntryProps) {
  const params = { id: app.id, webhook_id: webhook.id }
  const change = useApiMutation(updateWebhook, { invalidates: [listWebhooks] })
  const test = useApiMutation(testWebhook, {
    invalidates: [listDeliveries],
    onDone: () => notify(t('build.app-webhooks.a-test-event-is-on-its')),
  })
  return (
    <section aria-label={webhook.url}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Text fw={600} className="user-content">
            {webhook.url}
          </Text>
          <Group gap={6} mt={4}>
            <Status webhook={webhook} />
            <Text size="sm" c="dimmed">
              {webhook.events === null ? t('build.app-webhooks.every-event') : webhook.events.join(', ')}
            </Text>
          </Group>
          {webhook.previous_secret_until !== null && (
            <Text size="sm" c="dimmed">
              <RichText
                k="build.app-webhooks.the-secret-before-this-one-signs"
                time={<RelativeTime at={webhook.previous_secret_until} />}
              />
            </Text>
          )}
        </div>
        <Group gap={6}>
          <Button size="compact-sm" variant="default" onClick={() => test.mutate({ params })} loading={test.isPending}>
            {t('build.app-webhooks.send-a-test')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={onEdit}>
            {t('build.app-webhooks.edit')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ params, body: { enabled: !webhook.enabled } })}
          >
            {webhook.enabled ? t('build.app-webhooks.switch-off') : t('build.app-webhooks.switch-on')}
          </Button>
          <Rotate app={app} webhook={webhook} onSecret={onSecret} />
          <Delete app={app} webhook={webhook} />
        </Group>
      </Group>
      <FailureNote error={change.error ?? test.error} />
      <Button
        size="compact-sm"
        variant="subtle"
        mt={6}
        onClick={onOpen}
        aria-expanded={is_open}
        aria-label={t('build.app-webhooks.deliveries-to', { url: webhook.url })}
      >
        {is_open ? t('common.deliveries') : t('build.app-webhooks.show-deliveries')}
      </Button>
      {is_open && <Deliveries app={app} webhook={webhook} />}
    </section>
  )
}

function Status({ webhook }: { webhook: Webhook }) {
  if (webhook.disabled_reason === 'failures')
    return (
      <Badge color="red" variant="light">
        {t('build.app-webhooks.off-it-failed-for-days')}
      </Badge>
    )
  if (!webhook.enabled)
    return (
      <Badge color="gray" variant="light">
        {t('build.app-webhooks.off')}
      </Badge>
    )
  if (webhook.failing_since !== null)
    return (
      <Badge color="yellow" variant="light">
        <RichText k="build.app-webhooks.failing-since" time={<RelativeTime at={webhook.failing_since} />} />
      </Badge>
    )
  return (
    <Badge color="plaza" variant="light">
      {t('build.app-webhooks.on')}
    </Badge>
  )
}

function Rotate({ app, webhook, onSecret }: { app: MyApp; webhook: Webhook; onSecret: (secret: string) => void }) {
  const [asking, setAsking] = useState(false)
  const rotate = useApiMutation(rotateWebhookSecret, {
    invalidates: [listWebhooks],
    onDone: ({ secret }) => {
      setAsking(false)
      onSecret(secret)
    },
  })
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
        {t('build.app-webhooks.new-secret')}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('build.app-webhooks.make-a-new-secret')}
        action={t('build.app-webhooks.make-it')}
        onConfirm={() => rotate.mutate({ params: { id: app.id, webhook_id: webhook.id } })}
        busy={rotate.isPending}
        error={rotate.error}
      >
        <Text size="sm">{t('build.app-webhooks.for-24-hours-every-request-has')}</Text>
      </Confirm>
    </>
  )
}

function Delete({ app, webhook }: { app: MyApp; webhook: Webhook }) {
  const [asking, setAsking] = useState(false)
  const remove = useApiMutation(deleteWebhook, {
    invalidates: [listWebhooks],
    onDone: () => notify(t('build.app-webhooks.the-address-is-deleted')),
  })
  return (
    <>
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsking(true)}>
        {t('build.app-webhooks.delete')}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('build.app-webhooks.delete-this-address')}
        action={t('common.delete')}
        onConfirm={() => remove.mutate({ params: { id: app.id, webhook_id: webhook.id } })}
        busy={remove.isPending}
        error={remove.error}
      >
        <Text size="sm">
          <RichText
            k="build.app-webhooks.nothing-more-is-sent-to-also"
            mark={<span className="user-content">{webhook.url}</span>}
          />
        </Text>
      </Confirm>
    </>
  )
}
