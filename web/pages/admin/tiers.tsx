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

export default function Tiers() {
  const list = usePagedQuery(adminListDeployTiers, {})
  const [editing, setEditing] = useState<string>()
  const edited = list.rows.find(({ id }) => id === editing)
  const close = () => setEditing(undefined)
  return (
    <>
      <PageHead
        title="Deploy tiers"
        about={
          settings.is_billing_on
            ? 'Limits and prices of containers. New limits apply to new deployments, new prices from the next cycle.'
            : `Limits of containers. ${no_charge} Prices apply when BILLING is on. New limits apply to new deployments.`
        }
        actions={
          <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing('new')}>
            New tier
          </Button>
        }
      />
      <ListCard
        list={list}
        lines={5}
        empty={
          <EmptyState icon="tag" title="No tier yet">
            Add one so that people can deploy.
          </EmptyState>
        }
      >
        <TierTable tiers={list.rows} onEdit={setEditing} />
      </ListCard>
      <EditDrawer
        opened={editing !== undefined}
        title={editing === 'new' ? 'New tier' : 'Edit the tier'}
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
          notify(retired ? `${name} is retired.` : `${name} is offered again.`)
          close()
        },
      },
    )
  return (
    <>
      {!retiring && <FailureNote error={update.error} />}
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Deploy tiers">
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
          title={`Retire ${retiring.name}?`}
          action="Retire the tier"
          busy={update.isPending}
          error={update.error}
          onClose={close}
          onConfirm={() => setRetired(retiring, true)}
        >
          It is no longer offered for new deployments. Existing deployments keep it and continue to pay. You can offer
          it again.
        </Confirm>
      )}
    </>
  )
}

const Head = () => (
  <Table.Thead>
    <Table.Tr>
      <Table.Th>Tier</Table.Th>
      <Table.Th ta="right">Memory</Table.Th>
      <Table.Th ta="right">Processor</Table.Th>
      <Table.Th>30 days</Table.Th>
      <Table.Th ta="right">Stipend</Table.Th>
      <Table.Th ta="right">Ad reach</Table.Th>
      <Table.Th aria-label="Actions" />
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
            retired
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {tier.slug}
        {tier.custom_domain_allowed && ', own domain'}
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
        {tier.retired ? 'Offer again' : 'Retire…'}
      </Button>
    </Table.Td>
  </Table.Tr>
)

const retireLabel = ({ name, retired }: Tier) => (retired ? `Offer again: ${name}` : `Retire… ${name}`)
