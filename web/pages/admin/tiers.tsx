import { Badge, Button, Group, Table, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { adminListDeployTiers, updateDeployTier } from '../../../contract/admin-deployments.ts'
import { listDeployTiers } from '../../../contract/deployments.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { settings } from '../../settings.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { cores, memory, no_charge, price } from '../deployments/labels.ts'
import { TierForm, type Tier } from './tier-form.tsx'
import { EditDrawer } from './edit-drawer.tsx'
import { ListCard } from './list-card.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'

export default function Tiers() {
  const list = usePagedQuery(adminListDeployTiers, {})
  const [editing, setEditing] = useState<string>()
  const edited = list.rows.find(({ id }) => id === editing)
  const close = () => setEditing(undefined)
  return (
    <>
      <PageHead
        title={t('common.deploy-tiers')}
        about={
          settings.is_billing_on
            ? t('admin.tiers.limits-and-prices-of-containers-new')
            : t('admin.tiers.limits-of-containers-prices-apply-when', { no_charge: no_charge() })
        }
        actions={
          <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing('new')}>
            {t('admin.tiers.new-tier')}
          </Button>
        }
      />
      <ListCard
        list={list}
        lines={5}
        empty={
          <EmptyState icon="tag" title={t('admin.tiers.no-tier-yet')}>
            {t('admin.tiers.add-one-so-that-people-can')}
          </EmptyState>
        }
      >
        <TierTable tiers={list.rows} onEdit={setEditing} />
      </ListCard>
      <EditDrawer
        opened={editing !== undefined}
        title={editing === 'new' ? t('admin.tiers.new-tier') : t('admin.tiers.edit-the-tier')}
        onClose={close}
      >
        <TierForm key={editing} tier={edited} onDone={close} />
      </EditDrawer>
    </>
  )
}

function TierTable({ tiers, onEdit }: { tiers: readonly Tier[]; onEdit: (id: string) => void }) {
  const [retiring, setRetiring] = useState<Tier>()
  const update = useApiMutation(updateDeployTier, { invalidates: [adminListDeployTiers, listDeployTiers] })
  const close = () => {
    setRetiring(undefined)
    update.reset()
  }
  const setRetired = ({ id, name }: Tier, retired: boolean) =>
    update.mutate(
      { params: { id }, body: { retired } },
      {
        onSuccess: () => {
          notify(retired ? t('admin.tiers.is-retired', { name }) : t('admin.tiers.is-offered-again', { name }))
          close()
        },
      },
    )
  return (
    <>
      {!retiring && <FailureNote error={update.error} />}
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.deploy-tiers')}>
        <Table miw={780}>
          <Head />
          <Table.Tbody>
            {tiers.map((tier) => (
              <TierRow
                key={tier.id}
                tier={tier}
                onEdit={() => onEdit(tier.id)}
                onRetire={() => (tier.retired ? setRetired(tier, false) : setRetiring(tier))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {retiring && (
        <Confirm
          opened
          title={t('admin.tiers.retire', { name: retiring.name })}
          action={t('admin.tiers.retire-the-tier')}
          busy={update.isPending}
          error={update.error}
          onClose={close}
          onConfirm={() => setRetired(retiring, true)}
        >
          {t('admin.tiers.it-is-no-longer-offered-for')}
        </Confirm>
      )}
    </>
  )
}

const Head = () => (
  <Table.Thead>
    <Table.Tr>
      <Table.Th>{t('common.hosting-tier')}</Table.Th>
      <Table.Th ta="right">{t('common.memory')}</Table.Th>
      <Table.Th ta="right">{t('common.processor')}</Table.Th>
      <Table.Th>{t('common.30-days')}</Table.Th>
      <Table.Th ta="right">{t('common.stipend')}</Table.Th>
      <Table.Th ta="right">{t('common.ad-reach')}</Table.Th>
      <Table.Th aria-label={t('common.actions')} />
    </Table.Tr>
  </Table.Thead>
)

const TierRow = ({ tier, onEdit, onRetire }: { tier: Tier; onEdit: () => void; onRetire: () => void }) => (
  <Table.Tr>
    <Table.Td miw={150}>
      <Group gap={6}>
        <UnstyledButton className={classes.name} onClick={onEdit} aria-haspopup="dialog">
          {tier.name}
        </UnstyledButton>
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
    </Table.Td>
    <Table.Td ta="right" className={`number ${classes.nowrap}`}>
      {memory(tier.memory_limit_mb)}
    </Table.Td>
    <Table.Td ta="right" className={`number ${classes.nowrap}`}>
      {cores(tier.cpu_limit_millicores)}
    </Table.Td>
    <Table.Td className={`number ${classes.nowrap}`}>{price(tier)}</Table.Td>
    <Table.Td ta="right" className={`number ${classes.nowrap}`}>
      {formatNumber(tier.monthly_stipend_points)}
    </Table.Td>
    <Table.Td ta="right" className="number">
      ×{tier.ad_reach_multiplier}
    </Table.Td>
    <Table.Td ta="right">
      <Button size="compact-xs" variant="default" onClick={onRetire} aria-label={retireLabel(tier)}>
        {tier.retired ? t('admin.tiers.offer-again') : t('admin.tiers.retire-2')}
      </Button>
    </Table.Td>
  </Table.Tr>
)

const retireLabel = ({ name, retired }: Tier) =>
  retired ? t('admin.tiers.offer-again-2', { name }) : t('admin.tiers.retire-3', { name })
