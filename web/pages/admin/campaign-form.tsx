import { Checkbox, Group, Textarea, TextInput } from '@mantine/core'
import { surface_types } from '../../../contract/ads.ts'
import { adminListCampaigns, createCampaign, updateCampaign } from '../../../contract/admin-campaigns.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'

/** A timestamp as the value of a `datetime-local` field: the browser's time, to the minute. */
function toLocalInput(timestamp: string | null | undefined): string {
  if (!timestamp) return ''
  const date = new Date(timestamp)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The timestamp of a `datetime-local` field; null if it is empty. */
const fromLocalInput = (text: string) => (text === '' ? null : new Date(text).toISOString())

export type Campaign = AnswerOf<typeof adminListCampaigns>['data'][number]

const initialOf = (campaign: Campaign | undefined) => ({
  name: campaign?.name ?? '',
  surface_type: (campaign?.surface_type ?? surface_types[0]) as string,
  payout_rate: (campaign?.payout_rate ?? '') as number | string,
  weight: (campaign?.weight ?? 1) as number | string,
  active: campaign?.active ?? true,
  starts_at: toLocalInput(campaign?.starts_at),
  ends_at: toLocalInput(campaign?.ends_at),
  max_impressions: (campaign?.max_impressions ?? '') as number | string,
  bitcoin_tier: campaign?.bitcoin_tier ?? '',
  targeting_metadata: campaign?.targeting_metadata ? JSON.stringify(campaign.targeting_metadata, null, 2) : '',
})
type CampaignValues = ReturnType<typeof initialOf>

const required = (value: unknown) => (value === '' || value === null ? t('common.fill-this-in') : undefined)

function jsonObjectError(text: string) {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : t('admin.campaign-form.write-an-object-country-lu')
  } catch {
    return t('admin.campaign-form.this-is-not-valid-json-put')
  }
}

const validators = {
  name: required,
  payout_rate: required,
  weight: required,
  ends_at: (ends_at: string, { starts_at }: CampaignValues) =>
    starts_at !== '' && ends_at !== '' && ends_at <= starts_at
      ? t('admin.campaign-form.it-must-end-after-it-starts')
      : undefined,
  targeting_metadata: jsonObjectError,
}

/** Converts dates and the JSON text to the API's format. */
function toRequest({ starts_at, ends_at, targeting_metadata }: Partial<Record<keyof CampaignValues, unknown>>) {
  return {
    ...(typeof starts_at === 'string' && { starts_at: fromLocalInput(starts_at) }),
    ...(typeof ends_at === 'string' && { ends_at: fromLocalInput(ends_at) }),
    ...(typeof targeting_metadata === 'string' && {
      targeting_metadata: targeting_metadata.trim() === '' ? null : (JSON.parse(targeting_metadata) as unknown),
    }),
  }
}

/** Creates a campaign, or updates the given one. */
export function CampaignForm({ campaign, onDone }: { campaign: Campaign | undefined; onDone: () => void }) {
  const endpoint: typeof createCampaign | typeof updateCampaign = campaign ? updateCampaign : createCampaign
  const form = useContractForm(endpoint, {
    initial: initialOf(campaign),
    validators,
    changes_only: campaign !== undefined,
    toInput: (body) =>
      ({ ...(campaign && { params: { id: campaign.id } }), body: { ...body, ...toRequest(body) } }) as never,
    done: ({ name }) => (campaign ? t('common.is-saved', { name }) : t('admin.campaign-form.is-created', { name })),
    onDone,
    invalidates: [adminListCampaigns, listAudit],
  })
  const { field } = form
  return (
    <Form
      form={form}
      action={campaign ? t('common.save-changes') : t('admin.campaign-form.create-the-campaign')}
      button={{ flex: 1, disabled: campaign !== undefined && !form.form.isDirty() }}
    >
      <TextInput {...field('name')} label={t('common.name')} data-autofocus />
      <Select
        {...field('surface_type')}
        label={t('admin.campaign-form.surface')}
        data={[...surface_types]}
        allowDeselect={false}
      />
      <Group grow align="flex-start">
        <NumberField
          {...field('payout_rate')}
          label={t('admin.campaign-form.payout-rate')}
          description={t('admin.campaign-form.sent-to-the-app-with-each')}
          decimal
        />
        <NumberField
          {...field('weight')}
          label={t('common.weight')}
          description={t('admin.campaign-form.a-higher-weight-is-shown-more')}
        />
      </Group>
      <Checkbox {...field('active', 'checkbox')} label={t('admin.campaign-form.active-may-be-shown-within-its')} />
      <Group grow align="flex-start">
        <TextInput
          {...field('starts_at')}
          type="datetime-local"
          label={t('admin.campaign-form.starts')}
          description={t('admin.campaign-form.empty-at-once')}
        />
        <TextInput
          {...field('ends_at')}
          type="datetime-local"
          label={t('admin.campaign-form.ends')}
          description={t('admin.campaign-form.empty-never')}
        />
      </Group>
      <NumberField
        {...field('max_impressions')}
        label={t('admin.campaign-form.most-impressions')}
        description={t('admin.campaign-form.empty-no-limit')}
      />
      <TextInput
        {...field('bitcoin_tier')}
        label={t('admin.campaign-form.bitcoin-tier')}
        description={t('admin.campaign-form.sent-to-the-app-unchanged')}
      />
      <Textarea
        {...field('targeting_metadata')}
        label={t('admin.campaign-form.targeting')}
        description={t('admin.campaign-form.a-json-object-sent-to-the')}
        autosize
        minRows={2}
        maxRows={12}
        styles={{ input: { fontFamily: 'monospace' } }}
        spellCheck={false}
      />
    </Form>
  )
}
