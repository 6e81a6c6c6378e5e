import { Button, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { adminListDeployTiers, createDeployTier, updateDeployTier } from '../../../contract/admin-deployments.ts'
import { listAudit } from '../../../contract/admin.ts'
import { payment_methods } from '../../../contract/deployment-fields.ts'
import { listDeployTiers } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { useRefresh } from '../../api/refresh.ts'

export type Tier = AnswerOf<typeof adminListDeployTiers>['data'][number]

const initialOf = (tier: Tier | undefined) => ({
  name: tier?.name ?? '',
  slug: tier?.slug ?? '',
  payment_method: (tier?.payment_method ?? payment_methods[0]) as string,
  memory_limit_mb: (tier?.memory_limit_mb ?? '') as number | string,
  cpu_limit_millicores: (tier?.cpu_limit_millicores ?? '') as number | string,
  replicas_max: (tier?.replicas_max ?? 1) as number | string,
  custom_domain_allowed: tier?.custom_domain_allowed ?? false,
  monthly_stipend_points: (tier?.monthly_stipend_points ?? 0) as number | string,
  ad_reach_multiplier: tier?.ad_reach_multiplier ?? '1.0',
  monthly_cost_points: (tier?.monthly_cost_points ?? '') as number | string,
  monthly_cost_sats: (tier?.monthly_cost_sats ?? '') as number | string,
})

const required = (value: unknown) => (value === '' || value === null ? 'Fill this in.' : undefined)
const validators = {
  name: required,
  slug: required,
  memory_limit_mb: required,
  cpu_limit_millicores: required,
  replicas_max: required,
  monthly_stipend_points: required,
  ad_reach_multiplier: required,
}
const pattern_messages = {
  slug: 'Small letters, digits and hyphens; no hyphen at either end.',
  ad_reach_multiplier: 'A number such as 1.0 or 2.5.',
}

const payment_labels: Record<string, string> = { service_points: 'points', bitcoin: 'bitcoin' }

/** Adds a tier to the catalogue, or updates the given one. */
export function TierForm({ tier, onDone }: { tier: Tier | undefined; onDone: () => void }) {
  const refresh = useRefresh([adminListDeployTiers, listDeployTiers, listAudit])
  const endpoint: typeof createDeployTier | typeof updateDeployTier = tier ? updateDeployTier : createDeployTier
  const { form, field, props, busy, failure } = useContractForm(endpoint, {
    initial: initialOf(tier),
    validators,
    pattern_messages,
    changes_only: tier !== undefined,
    toInput: (body) => ({ ...(tier && { params: { id: tier.id } }), body }) as never,
    onDone: ({ name }) => {
      refresh()
      notify(tier ? `${name} is saved.` : `${name} is in the catalogue.`)
      onDone()
    },
  })
  const whole = { allowDecimal: false, allowNegative: false, thousandSeparator: ',', hideControls: true } as const
  return (
    <form {...props}>
      <Stack>
        <FailureNote error={failure} />
        <TextInput {...field('name')} label="Name" data-autofocus />
        <TextInput {...field('slug')} label="Slug" description="How callers of the API name it" autoCapitalize="none" />
        <Group grow align="flex-start">
          <NumberInput {...field('memory_limit_mb')} {...whole} label="Memory, MB" />
          <NumberInput {...field('cpu_limit_millicores')} {...whole} label="CPU, millicores" />
        </Group>
        <Group grow align="flex-start">
          <Select
            {...field('payment_method')}
            label="Paid in"
            data={payment_methods.map((value) => ({ value, label: payment_labels[value] ?? value }))}
            allowDeselect={false}
          />
          <NumberInput {...field('replicas_max')} {...whole} label="Replicas at most" min={1} />
        </Group>
        <Group grow align="flex-start">
          <NumberInput {...field('monthly_cost_points')} {...whole} label="Points a month" description="Empty: none" />
          <NumberInput {...field('monthly_cost_sats')} {...whole} label="Satoshis a month" description="Empty: none" />
        </Group>
        <Group grow align="flex-start">
          <NumberInput
            {...field('monthly_stipend_points')}
            {...whole}
            label="Stipend"
            description="Points paid to the app each month"
          />
          <TextInput {...field('ad_reach_multiplier')} label="Ad reach" description="Times the usual" />
        </Group>
        <Checkbox {...field('custom_domain_allowed', 'checkbox')} label="Allows a custom domain" />
        <Button type="submit" loading={busy} disabled={tier && !form.isDirty()}>
          {tier ? 'Save changes' : 'Add to the catalogue'}
        </Button>
      </Stack>
    </form>
  )
}
