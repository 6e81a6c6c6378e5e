import { Button, Checkbox, Group, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { surface_types } from '../../../contract/ads.ts'
import { adminListCampaigns, createCampaign, updateCampaign } from '../../../contract/admin-campaigns.ts'
import { listAudit } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { fromLocalInput, toLocalInput } from './local-time.ts'
import { useRefresh } from '../../api/refresh.ts'

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

const required = (value: unknown) => (value === '' || value === null ? 'Fill this in.' : undefined)

function jsonObjectError(text: string) {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Write an object: { "country": "LU" }.'
  } catch {
    return 'This is not valid JSON. Put names and texts in double quotes.'
  }
}

const validators = {
  name: required,
  payout_rate: required,
  weight: required,
  ends_at: (ends_at: string, { starts_at }: CampaignValues) =>
    starts_at !== '' && ends_at !== '' && ends_at <= starts_at ? 'It must end after it starts.' : undefined,
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

function useCampaignForm(campaign: Campaign | undefined, onDone: () => void) {
  const refresh = useRefresh([adminListCampaigns, listAudit])
  const endpoint: typeof createCampaign | typeof updateCampaign = campaign ? updateCampaign : createCampaign
  return useContractForm(endpoint, {
    initial: initialOf(campaign),
    validators,
    changes_only: campaign !== undefined,
    toInput: (body) =>
      ({ ...(campaign && { params: { id: campaign.id } }), body: { ...body, ...toRequest(body) } }) as never,
    onDone: ({ name }) => {
      refresh()
      notify(campaign ? `${name} is saved.` : `${name} is created.`)
      onDone()
    },
  })
}

/** Creates a campaign, or updates the given one. */
export function CampaignForm({ campaign, onDone }: { campaign: Campaign | undefined; onDone: () => void }) {
  const { form, field, props, busy, failure } = useCampaignForm(campaign, onDone)
  return (
    <form {...props}>
      <Stack>
        <FailureNote error={failure} />
        <TextInput {...field('name')} label="Name" data-autofocus />
        <Select {...field('surface_type')} label="Surface" data={[...surface_types]} allowDeselect={false} />
        <Group grow align="flex-start">
          <NumberInput
            {...field('payout_rate')}
            label="Payout rate"
            description="Sent to the app with each ad"
            hideControls
          />
          <NumberInput
            {...field('weight')}
            label="Weight"
            description="A higher weight is shown more often"
            allowDecimal={false}
            hideControls
          />
        </Group>
        <Checkbox {...field('active', 'checkbox')} label="Active: may be shown within its dates and limits" />
        <Group grow align="flex-start">
          <TextInput {...field('starts_at')} type="datetime-local" label="Starts" description="Empty: at once" />
          <TextInput {...field('ends_at')} type="datetime-local" label="Ends" description="Empty: never" />
        </Group>
        <NumberInput
          {...field('max_impressions')}
          label="Most impressions"
          description="Empty: no limit"
          allowDecimal={false}
          thousandSeparator=","
          hideControls
        />
        <TextInput {...field('bitcoin_tier')} label="Bitcoin tier" description="Sent to the app unchanged" />
        <Textarea
          {...field('targeting_metadata')}
          label="Targeting"
          description="A JSON object, sent to the app unchanged"
          autosize
          minRows={2}
          maxRows={12}
          styles={{ input: { fontFamily: 'monospace' } }}
          spellCheck={false}
        />
        <Button type="submit" loading={busy} disabled={campaign && !form.isDirty()}>
          {campaign ? 'Save changes' : 'Create the campaign'}
        </Button>
      </Stack>
    </form>
  )
}
