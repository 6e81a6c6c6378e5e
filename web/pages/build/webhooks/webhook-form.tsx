import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { app_events, type AppEventType } from '../../../../contract/app-events.ts'
import { createWebhook, listWebhooks, updateWebhook } from '../../../../contract/webhooks.ts'
import { callApi, type InputOf } from '../../../api/call.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { FormDialog } from '../../../forms/form.tsx'
import { settings } from '../../../settings.ts'
import { notify } from '../../../ui/notify.tsx'
import type { MyApp } from '../access.ts'
import type { Webhook } from './webhook.ts'
import { contractText, t } from '../../../texts.ts'

const types = Object.keys(app_events) as AppEventType[]

interface WebhookFormProps {
  app: MyApp
  /** The webhook to change; undefined for a new one. */
  webhook: Webhook | undefined
  onSecret: (secret: string) => void
  onClose: () => void
}

/** Adds or changes a webhook: its address and its events. */
export function WebhookForm({ app, webhook, onSecret, onClose }: WebhookFormProps) {
  /** The response contains no secret. */
  const change = async ({ id }: Webhook, { params, body: { url, events } }: InputOf<typeof createWebhook>[0]) => {
    const input = { params: { ...params, webhook_id: id }, body: { url, events: events ?? null } }
    return { ...(await callApi(updateWebhook, input)), secret: '' }
  }
  const [all, setAll] = useState(!webhook?.events)
  const form = useContractForm(createWebhook, {
    initial: { url: webhook?.url ?? '', events: webhook?.events ?? [] },
    validators: {
      events: (events) => (!all && events.length === 0 ? t('common.choose-at-least-one') : undefined),
    },
    toInput: ({ url, events = [] }) => ({ params: { id: app.id }, body: { url, ...(!all && { events }) } }),
    call: (endpoint, input) => (webhook ? change(webhook, input) : callApi(endpoint, input)),
    invalidates: [listWebhooks],
    onDone: ({ secret }) => {
      onClose()
      if (webhook) notify(t('build.webhook-form.the-address-is-changed'))
      else onSecret(secret)
    },
  })
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={webhook ? t('common.change-the-address') : t('common.add-an-address')}
      action={webhook ? t('common.save') : t('build.webhook-form.add')}
    >
      <TextInput
        {...form.field('url')}
        label={t('common.address')}
        description={
          settings.is_sandbox
            ? t('build.webhook-form.https-or-on-localhost-http')
            : t('build.webhook-form.https-reachable-from-the-internet')
        }
        placeholder="https://shop.example/webhooks"
        inputMode="url"
        data-autofocus
      />
      <Checkbox
        label={t('build.webhook-form.every-event-also-those-that-are')}
        checked={all}
        onChange={({ currentTarget }) => setAll(currentTarget.checked)}
      />
      {!all && (
        <Checkbox.Group label={t('build.webhook-form.events')} {...form.field('events')}>
          <Stack gap={6} mt={6}>
            {types.map((type) => (
              <Checkbox key={type} value={type} label={type} description={contractText(app_events[type].summary)} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </FormDialog>
  )
}
