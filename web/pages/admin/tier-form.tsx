import { Checkbox, Group, TextInput } from '@mantine/core'
import { adminListDeployTiers, createDeployTier, updateDeployTier } from '../../../contract/admin-deployments.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { payment_methods } from '../../../contract/deployment-fields.ts'
import { listDeployTiers } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'

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

const required = (value: unknown) => (value === '' || value === null ? t('common.fill-this-in') : undefined)
const validators = {
  name: required,
  slug: required,
  memory_limit_mb: required,
  cpu_limit_millicores: required,
  replicas_max: required,
  monthly_stipend_points: required,
  ad_reach_multiplier: required,
}
const pattern_messages = () => ({
  slug: t('admin.tier-form.small-letters-digits-and-hyphens-no'),
  ad_reach_multiplier: t('admin.tier-form.a-number-such-as-1-0'),
})

const payment_labels: Record<string, string> = { service_points: 'points', bitcoin: 'bitcoin' }

/** Adds a tier to the catalogue, or updates the given one. */
export function TierForm({ tier, onDone }: { tier: Tier | undefined; onDone: () => void }) {
  const endpoint: typeof createDeployTier | typeof updateDeployTier = tier ? updateDeployTier : createDeployTier
  const form = useContractForm(endpoint, {
    initial: initialOf(tier),
    validators,
    pattern_messages: pattern_messages(),
    changes_only: tier !== undefined,
    toInput: (body) => ({ ...(tier && { params: { id: tier.id } }), body }) as never,
    done: ({ name }) => (tier ? t('common.is-saved', { name }) : t('admin.tier-form.is-in-the-catalogue', { name })),
    onDone,
    invalidates: [adminListDeployTiers, listDeployTiers, listAudit],
  })
  const { field } = form
  return (
    <Form
      form={form}
      action={tier ? t('common.save-changes') : t('admin.tier-form.add-to-the-catalogue')}
      button={{ flex: 1, disabled: tier !== undefined && !form.form.isDirty() }}
    >
      <TextInput {...field('name')} label={t('common.name')} data-autofocus />
      <TextInput
        {...field('slug')}
        label={t('admin.tier-form.slug')}
        description={t('admin.tier-form.how-callers-of-the-api-name')}
        autoCapitalize="none"
      />
      <Group grow align="flex-start">
        <NumberField {...field('memory_limit_mb')} label={t('admin.tier-form.memory-mb')} />
        <NumberField {...field('cpu_limit_millicores')} label={t('admin.tier-form.cpu-millicores')} />
      </Group>
      <Group grow align="flex-start">
        <Select
          {...field('payment_method')}
          label={t('admin.tier-form.paid-in')}
          data={payment_methods.map((value) => ({ value, label: payment_labels[value] ?? value }))}
          allowDeselect={false}
        />
        <NumberField {...field('replicas_max')} label={t('admin.tier-form.replicas-at-most')} />
      </Group>
      <Group grow align="flex-start">
        <NumberField
          {...field('monthly_cost_points')}
          label={t('admin.tier-form.points-a-month')}
          description={t('admin.tier-form.empty-none')}
        />
        <NumberField
          {...field('monthly_cost_sats')}
          label={t('admin.tier-form.satoshis-a-month')}
          description={t('admin.tier-form.empty-none')}
        />
      </Group>
      <Group grow align="flex-start">
        <NumberField
          {...field('monthly_stipend_points')}
          label={t('common.stipend')}
          description={t('admin.tier-form.points-paid-to-the-app-each')}
        />
        <TextInput
          {...field('ad_reach_multiplier')}
          onChange={({ currentTarget: { value } }) =>
            form.form.setFieldValue('ad_reach_multiplier', value.replace(',', '.'))
          }
          label={t('common.ad-reach')}
          description={t('admin.tier-form.times-the-usual')}
        />
      </Group>
      <Checkbox {...field('custom_domain_allowed', 'checkbox')} label={t('admin.tier-form.allows-a-custom-domain')} />
    </Form>
  )
}
