import { ActionIcon, Group, Stack, Table, Text } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { adminListDeployments, reactivateDeployment, suspendDeployment } from '../../../contract/admin-deployments.ts'
import { isId } from '../../../contract/schema.ts'
import { deployment_statuses } from '../../../contract/states.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { cores, memory } from '../deployments/labels.ts'
import { PaymentDialog, type AdminDeployment } from './payment-dialog.tsx'
import { ReasonDialog } from './reason-dialog.tsx'
import { useRefresh } from '../../api/refresh.ts'
import { knownValue } from './search.ts'
import { DeploymentFilters, type DeploymentFilter } from './deployment-filters.tsx'
import { StatusBadge, statusText } from './status-badge.tsx'
import { ListCard } from './list-card.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Deployments() {
  const filter = useSearch({ from: '/admin/deployments' })
  const router = useRouter()
  const change = (changes: DeploymentFilter) =>
    void router.navigate({
      to: '/admin/deployments',
      search: { ...filter, ...changes },
      replace: true,
      ignoreBlocker: true,
    })
  const status = knownValue(deployment_statuses, filter.status)
  const { health_status, owner_id, app_id } = filter
  const list = usePagedQuery(adminListDeployments, {
    query: {
      ...(status && { status }),
      ...(health_status !== undefined && { health_status }),
      ...(owner_id !== undefined && isId(owner_id) && { owner_id }),
      ...(app_id !== undefined && isId(app_id) && { app_id }),
    },
  })
  const filtered = Object.values(filter).some((value) => value !== undefined)
  return (
    <>
      <PageHead
        title={t('common.all-deployments')}
        about={t('admin.deployments.containers-of-all-apps-newest-first')}
      />
      <Stack>
        <DeploymentFilters filter={filter} change={change} />
        <ListCard
          list={list}
          lines={6}
          empty={
            <EmptyState
              icon="box"
              title={
                filtered
                  ? t('admin.deployments.no-deployment-matches-the-filter')
                  : t('admin.deployments.nothing-is-deployed-yet')
              }
            />
          }
        >
          <DeploymentTable deployments={list.rows} />
        </ListCard>
      </Stack>
    </>
  )
}

type DialogState = { deployment: AdminDeployment; action: 'suspend' | 'reactivate' | 'payment' }

function DeploymentTable({ deployments }: { deployments: readonly AdminDeployment[] }) {
  const [dialog, setDialog] = useState<DialogState>()
  return (
    <>
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.deployments')}>
        <Table miw={860}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common.deployment')}</Table.Th>
              <Table.Th>{t('common.status')}</Table.Th>
              <Table.Th>{t('common.billing')}</Table.Th>
              <Table.Th>{t('common.limits')}</Table.Th>
              <Table.Th>{t('common.made')}</Table.Th>
              <Table.Th aria-label={t('common.actions')} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {deployments.map((deployment) => (
              <DeploymentRow
                key={deployment.id}
                deployment={deployment}
                onAsk={(action) => setDialog({ deployment, action })}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {dialog && <DeploymentDialog asking={dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

interface DeploymentRowProps {
  deployment: AdminDeployment
  onAsk: (what: DialogState['action']) => void
}

function DeploymentRow({ deployment, onAsk }: DeploymentRowProps) {
  const { subdomain, container_image, owner_id, status, health_status, suspended_by, desired, last_error } = deployment
  const { billing_status, paid_until, memory_limit_mb, cpu_limit_millicores, inserted_at } = deployment
  return (
    <Table.Tr>
      <Table.Td miw={200}>
        <Link to="/admin/deployments/$id" params={{ id: deployment.id }} size="sm" fw={600} className="user-content">
          {subdomain}
        </Link>
        <Text size="xs" c="dimmed" className="user-content">
          {container_image}
        </Text>
        <Link
          to="/admin/users/$id"
          params={{ id: owner_id }}
          size="xs"
          display="block"
          aria-label={t('admin.deployments.owner-of', { subdomain })}
        >
          {t('common.owner')}
        </Link>
      </Table.Td>
      <Table.Td miw={150}>
        <Group gap={4}>
          <StatusBadge status={status} />
          {health_status && desired === 'running' && <StatusBadge status={health_status} />}
          {suspended_by && <StatusBadge status="suspended" />}
        </Group>
        <Text size="xs" c="dimmed" mt={2}>
          {[
            suspended_by && t('admin.deployments.by', { suspended_by: statusText(suspended_by) }),
            t('admin.deployments.wanted', { desired: statusText(desired) }),
          ]
            .filter(Boolean)
            .join(', ')}
        </Text>
        {last_error && (
          <Text size="xs" c="red" lineClamp={2} className="user-content">
            {last_error}
          </Text>
        )}
      </Table.Td>
      <Table.Td miw={120}>
        {billing_status ? <StatusBadge status={billing_status} /> : <Text size="sm">{t('common.free')}</Text>}
        {paid_until && (
          <Text size="xs" c="dimmed" mt={2}>
            <RichText k="admin.deployments.until" time={<RelativeTime at={paid_until} />} />
          </Text>
        )}
      </Table.Td>
      <Table.Td className={`number ${classes.nowrap}`}>
        {memory(memory_limit_mb)}
        <br />
        {cores(cpu_limit_millicores)}
      </Table.Td>
      <Table.Td className={classes.nowrap}>
        <RelativeTime at={inserted_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Actions deployment={deployment} onAsk={onAsk} />
      </Table.Td>
    </Table.Tr>
  )
}

function Actions({ deployment, onAsk }: DeploymentRowProps) {
  const { subdomain, suspended_by, billing_status, desired } = deployment
  const is_destroyed = desired === 'destroyed'
  return (
    <ActionMenu
      button={
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={is_destroyed}
          aria-label={t('admin.deployments.actions-for', { subdomain })}
        >
          <Icon name="dots" />
        </ActionIcon>
      }
    >
      {suspended_by === 'admin' ? (
        <MenuItem icon="play" onClick={() => onAsk('reactivate')}>
          {t('admin.deployments.reactivate')}
        </MenuItem>
      ) : (
        <MenuItem icon="ban" onClick={() => onAsk('suspend')}>
          {t('common.suspend')}
        </MenuItem>
      )}
      <MenuItem icon="coins" disabled={billing_status === null} onClick={() => onAsk('payment')}>
        {t('admin.deployments.record-a-payment')}
      </MenuItem>
    </ActionMenu>
  )
}

function DeploymentDialog({ asking: { deployment, action }, onClose }: { asking: DialogState; onClose: () => void }) {
  const refresh = useRefresh([adminListDeployments])
  const { id, subdomain } = deployment
  const done = (message: string) => () => {
    refresh()
    notify(message)
  }
  if (action === 'payment')
    return (
      <PaymentDialog
        deployment={deployment}
        onDone={done(t('admin.deployments.the-payment-for-is-recorded', { subdomain }))}
        onClose={onClose}
      />
    )
  return action === 'suspend' ? (
    <ReasonDialog
      endpoint={suspendDeployment}
      id={id}
      title={t('admin.deployments.suspend', { subdomain })}
      action={t('common.suspend-2')}
      danger
      hint={t('admin.deployments.the-owner-reads-it-in-the')}
      onDone={done(t('admin.deployments.is-suspended', { subdomain }))}
      onClose={onClose}
    >
      {t('admin.deployments.its-container-stops-and-stays-stopped')}
    </ReasonDialog>
  ) : (
    <ReasonDialog
      endpoint={reactivateDeployment}
      id={id}
      title={t('admin.deployments.reactivate-2', { subdomain })}
      action={t('common.reactivate')}
      hint={t('admin.deployments.optional-the-owner-reads-it-in')}
      onDone={done(t('admin.deployments.the-suspension-of-is-lifted', { subdomain }))}
      onClose={onClose}
    >
      {t('admin.deployments.it-returns-to-the-state-that')}
    </ReasonDialog>
  )
}
