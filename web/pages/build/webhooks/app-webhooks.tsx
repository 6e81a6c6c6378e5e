import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { decisions } from '../../../../contract/decisions.ts'
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  listDeliveries,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../../contract/webhooks.ts'
import { callApi, type InputOf } from '../../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts'
import { hearEvents } from '../../../api/live-events.ts'
import { ConfirmButton } from '../../../ui/confirm-call.tsx'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { RelativeTime } from '../../../ui/format.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { notify } from '../../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../../ui/page-parts.tsx'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import { SavedSecret, SecretDialog } from '../saved-secret.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { answerText, type Delivery, type Webhook } from './webhook.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

/** The webhooks of an app, with their deliveries. */
export default function AppWebhooks({ app }: { app: MyApp }) {
  const query = useApiQuery(listWebhooks, { params: { id: app.id } })
  const [edited, setEdited] = useState<Webhook | 'new'>()
  const [secret, setSecret] = useState<string>()
  const [{ webhook: opened }, change] = useUrlState('/apps/$id')
  const open = (webhook: string | undefined) =>
    change({ webhook, delivery: undefined, status: undefined, from: undefined, to: undefined })
  return (
    <Stack>
      <Section
        title={t('common.webhooks')}
        about={t('build.app-webhooks.plaza-sends-what-happens-in-the')}
        actions={
          may(app, createWebhook) && <Button onClick={() => setEdited('new')}>{t('common.add-an-address')}</Button>
        }
      >
        <QueryResult
          query={query}
          empty={
            <EmptyState icon="send" title={t('build.app-webhooks.no-address-yet')}>
              {t('build.app-webhooks.add-one-and-your-server-hears')}
            </EmptyState>
          }
        >
          {({ webhooks }) => (
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
          )}
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
      <SecretDialog title={t('build.app-webhooks.the-webhooks-secret')}>
        {secret !== undefined && (
          <SavedSecret
            about={t('build.webhook-secret.it-is-shown-this-once-if')}
            values={{ [t('common.secret')]: secret }}
            note={t('build.webhook-secret.any-verifier-of-standard-webhooks-takes')}
            next_label={t('common.done')}
            onNext={() => setSecret(undefined)}
          />
        )}
      </SecretDialog>
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
  const [color, status] = statusOf(webhook)
  // The address of logout tokens is changed in the app's settings.
  const has_events = webhook.purpose === 'events'
  const change = useApiMutation(updateWebhook, { invalidates: [listWebhooks] })
  const [waiting, setWaiting] = useState(false)
  const test = useApiMutation(testWebhook, {
    invalidates: [listDeliveries],
    onDone: ({ delivery }) => {
      setWaiting(true)
      void notifyAnswer({ ...params, delivery_id: delivery.id }).finally(() => setWaiting(false))
    },
  })
  return (
    <section aria-label={webhook.url}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Text fw={600} className="user-content">
            {webhook.url}
          </Text>
          <Group gap={6} mt={4}>
            <Badge color={color} variant="light">
              {status}
            </Badge>
            <Text size="sm" c="dimmed">
              {contentOf(webhook)}
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
          {has_events && may(app, testWebhook) && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => test.mutate({ params })}
              loading={test.isPending || waiting}
            >
              {t('build.app-webhooks.send-a-test')}
            </Button>
          )}
          {may(app, updateWebhook) && (
            <>
              {has_events && (
                <Button size="compact-sm" variant="default" onClick={onEdit}>
                  {t('build.app-webhooks.edit')}
                </Button>
              )}
              <Button
                size="compact-sm"
                variant="default"
                loading={change.isPending}
                onClick={() => change.mutate({ params, body: { enabled: !webhook.enabled } })}
              >
                {webhook.enabled ? t('build.app-webhooks.switch-off') : t('build.app-webhooks.switch-on')}
              </Button>
            </>
          )}
          {has_events && may(app, rotateWebhookSecret) && <Rotate app={app} webhook={webhook} onSecret={onSecret} />}
          {has_events && may(app, deleteWebhook) && <Delete app={app} webhook={webhook} />}
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

function contentOf({ purpose, events }: Webhook) {
  if (purpose === 'logout') return t('common.back-channel-logout')
  return events === null ? t('build.app-webhooks.every-event') : events.join(', ')
}

const { timeout_seconds } = decisions.webhooks
/** After the receiver's response time has ended. */
const answer_ms = (timeout_seconds + 5) * 1_000

/** Shows the response to a test as soon as it arrives. */
async function notifyAnswer(params: InputOf<typeof getDelivery>[0]['params']) {
  const answered = await new Promise<Delivery | undefined>((done) => {
    const read = async () => {
      const found = await callApi(getDelivery, { params }).catch(() => undefined)
      if (found && found.delivery.attempts > 0) finish(found.delivery)
    }
    const stop = hearEvents(({ name, data }) => {
      if (name === 'webhook_deliveries' && data.app_id === params.id) void read()
    })
    const timer = setTimeout(() => finish(undefined), answer_ms)
    const finish = (delivery: Delivery | undefined) => {
      stop()
      clearTimeout(timer)
      done(delivery)
    }
    // The response may have arrived before.
    void read()
  })
  if (answered)
    notify(t('build.app-webhooks.test-answered', { answer: answerText(answered) }), {
      failed: answered.status !== 'succeeded',
    })
  else notify(t('build.app-webhooks.a-test-event-is-on-its'))
}

function statusOf(webhook: Webhook): [color: string, text: ReactNode] {
  if (webhook.disabled_reason === 'failures') return ['red', t('build.app-webhooks.off-it-failed-for-days')]
  if (!webhook.enabled) return ['gray', t('build.app-webhooks.off')]
  const { failing_since } = webhook
  if (failing_since === null) return ['plaza', t('build.app-webhooks.on')]
  return [
    'yellow',
    <RichText key="since" k="build.app-webhooks.failing-since" time={<RelativeTime at={failing_since} />} />,
  ]
}

const Rotate = ({ app, webhook, onSecret }: Pick<EntryProps, 'app' | 'webhook' | 'onSecret'>) => (
  <ConfirmButton
    label={t('build.app-webhooks.new-secret')}
    endpoint={rotateWebhookSecret}
    input={{ params: { id: app.id, webhook_id: webhook.id } }}
    invalidates={[listWebhooks]}
    onDone={({ secret }) => onSecret(secret)}
    title={t('build.app-webhooks.make-a-new-secret')}
    action={t('build.app-webhooks.make-it')}
  >
    <Text size="sm">{t('build.app-webhooks.for-24-hours-every-request-has')}</Text>
  </ConfirmButton>
)

const Delete = ({ app, webhook }: Pick<EntryProps, 'app' | 'webhook'>) => (
  <ConfirmButton
    label={t('common.delete-2')}
    button={{ variant: 'subtle', color: 'red' }}
    endpoint={deleteWebhook}
    input={{ params: { id: app.id, webhook_id: webhook.id } }}
    invalidates={[listWebhooks]}
    done={() => t('build.app-webhooks.the-address-is-deleted')}
    title={t('build.app-webhooks.delete-this-address')}
    action={t('common.delete')}
  >
    <Text size="sm">
      <RichText
        k="build.app-webhooks.nothing-more-is-sent-to-also"
        mark={<span className="user-content">{webhook.url}</span>}
      />
    </Text>
  </ConfirmButton>
)
