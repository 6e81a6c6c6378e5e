import { Badge, Button, Group, Text, UnstyledButton } from '@mantine/core'
import { adminListDeployTiers, createDeployTier, updateDeployTier } from '../../../contract/admin-deployments.ts'
import { listDeployTiers } from '../../../contract/deployments.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { useMay } from '../../session/rights.tsx'
import { settings } from '../../settings.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { numberColumn, type Column } from '../../ui/data-table.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { cores, memory, no_charge, price } from '../deployments/labels.ts'
import { Catalogue } from './catalogue.tsx'
import { TierForm, type Tier } from './tier-form.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'

export default function Tiers() {
  return (
    <Catalogue
      list={usePagedQuery(adminListDeployTiers, {})}
      title={t('common.deploy-tiers')}
      about={
        settings.is_billing_on
          ? t('admin.tiers.limits-and-prices-of-containers-new')
          : t('admin.tiers.limits-of-containers-prices-apply-when', { no_charge: no_charge() })
      }
      call={createDeployTier}
      create={t('admin.tiers.new-tier')}
      edit={t('admin.tiers.edit-the-tier')}
      empty={
        <EmptyState icon="tag" title={t('admin.tiers.no-tier-yet')}>
          {t('admin.tiers.add-one-so-that-people-can')}
        </EmptyState>
      }
      miw={780}
      columnsOf={columnsOf}
      form={(tier, onDone) => <TierForm key={tier?.id} tier={tier} onDone={onDone} />}
    />
  )
}

const number = { ta: 'right', className: 'number' } as const

const columnsOf = (onEdit?: (id: string) => void): Column<Tier>[] => [
  { head: t('common.hosting-tier'), td: { minWidth: 150 }, cell: (tier) => <Name tier={tier} onEdit={onEdit} /> },
  { head: t('common.memory'), ...number, cell: ({ memory_limit_mb }) => memory(memory_limit_mb) },
  { head: t('common.processor'), ...number, cell: ({ cpu_limit_millicores }) => cores(cpu_limit_millicores) },
  { head: t('common.30-days'), className: 'number', cell: price },
  numberColumn(t('common.stipend'), ({ monthly_stipend_points }) => monthly_stipend_points),
  { head: t('common.ad-reach'), ...number, cell: ({ ad_reach_multiplier }) => `×${ad_reach_multiplier}` },
  {
    head: t('common.actions'),
    head_hidden: true,
    ta: 'right',
    cell: (tier) => (tier.retired ? <Offer tier={tier} /> : <Retire tier={tier} />),
  },
]

const Name = ({ tier, onEdit }: { tier: Tier; onEdit: ((id: string) => void) | undefined }) => (
  <>
    <Group gap={6}>
      {onEdit ? (
        <UnstyledButton className={classes.name} onClick={() => onEdit(tier.id)} aria-haspopup="dialog">
          {tier.name}
        </UnstyledButton>
      ) : (
        tier.name
      )}
      {tier.retired && (
        <Badge size="sm" color="gray">
          {t('admin.tiers.retired')}
        </Badge>
      )}
    </Group>
    <Text size="xs" c="dimmed">
      {tier.slug}
      {tier.custom_domain_allowed && `, ${t('admin.tiers.own-domain')}`}
    </Text>
  </>
)

const invalidates = [adminListDeployTiers, listDeployTiers]

const Retire = ({ tier: { id, name } }: { tier: Tier }) => (
  <ConfirmButton
    label={t('admin.tiers.retire-2')}
    button={{ size: 'compact-xs', 'aria-label': t('admin.tiers.retire-3', { name }) }}
    endpoint={updateDeployTier}
    input={{ params: { id }, body: { retired: true } }}
    invalidates={invalidates}
    done={() => t('admin.tiers.is-retired', { name })}
    title={t('admin.tiers.retire', { name })}
    action={t('admin.tiers.retire-the-tier')}
  >
    {t('admin.tiers.it-is-no-longer-offered-for')}
  </ConfirmButton>
)

function Offer({ tier: { id, name } }: { tier: Tier }) {
  const may = useMay(updateDeployTier)
  const update = useApiMutation(updateDeployTier, {
    invalidates,
    onDone: () => notify(t('admin.tiers.is-offered-again', { name })),
  })
  if (!may) return null
  return (
    <>
      <FailureNote error={update.error} />
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => update.mutate({ params: { id }, body: { retired: false } })}
        aria-label={t('admin.tiers.offer-again-2', { name })}
      >
        {t('admin.tiers.offer-again')}
      </Button>
    </>
  )
}
