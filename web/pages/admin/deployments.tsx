import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { adminListDeployments, reactivateDeployment, suspendDeployment } from '../../../contract/admin-deployments.ts'
import { adminGetUser } from '../../../contract/admin-users.ts'
import { isId } from '../../../contract/schema.ts'
import { deployment_statuses } from '../../../contract/states.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { May, mayNow } from '../../session/rights.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { Link } from '../../ui/link.tsx'
import { timeColumn, type Column } from '../../ui/data-table.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { cores, memory } from '../deployments/labels.ts'
import { PaymentDialog, type AdminDeployment } from './payment-dialog.tsx'
import { ReasonDialog } from './decision-dialogs.tsx'
import { knownValue } from './search.ts'
import { DeploymentFilters } from './deployment-filters.tsx'
import { StatusBadge, statusText } from './status-badge.tsx'
import { TableCard } from './list-card.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Deployments() {
  const [filter, change] = useUrlState('/admin/deployments')
  const [dialog, setDialog] = useState<Omit<DialogProps, 'onClose'>>()
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
        <TableCard
          list={list}
          label={t('common.deployments')}
          columns={columnsOf((deployment, action) => setDialog({ deployment, action }))}
          miw={860}
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
        />
      </Stack>
      {dialog && <DeploymentDialog {...dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

type Action = 'suspend' | 'reactivate' | 'payment'
type Ask = (deployment: AdminDeployment, action: Action) => void

const columnsOf = (onAsk: Ask): Column<AdminDeployment>[] => [
  { head: t('common.deployment'), td: { minWidth: 200 }, cell: (deployment) => <Name deployment={deployment} /> },
  { head: t('common.status'), td: { minWidth: 150 }, cell: (deployment) => <Status deployment={deployment} /> },
  { head: t('common.billing'), td: { minWidth: 120 }, cell: (deployment) => <Billing deployment={deployment} /> },
  {
    head: t('common.limits'),
    className: 'number',
    cell: ({ memory_limit_mb, cpu_limit_millicores }) => (
      <>
        {memory(memory_limit_mb)}
        <br />
        {cores(cpu_limit_millicores)}
      </>
    ),
  },
  timeColumn(t('common.made'), ({ inserted_at }) => inserted_at),
  {
    head: t('common.actions'),
    head_hidden: true,
    ta: 'right',
    cell: (deployment) => <Actions deployment={deployment} onAsk={onAsk} />,
  },
]

interface CellProps {
  deployment: AdminDeployment
}

const Name = ({ deployment: { id, subdomain, container_image, owner_id } }: CellProps) => (
  <>
    <Link to="/admin/deployments/$id" params={{ id }} size="sm" fw={600} className="user-content">
      {subdomain}
    </Link>
    <Text size="xs" c="dimmed" className="user-content">
      {container_image}
    </Text>
    <May call={adminGetUser}>
      <Link
        to="/admin/users/$id"
        params={{ id: owner_id }}
        size="xs"
        display="block"
        aria-label={t('admin.deployments.owner-of', { subdomain })}
      >
        {t('common.owner')}
      </Link>
    </May>
  </>
)

const Status = ({ deployment: { status, health_status, suspended_by, desired, last_error } }: CellProps) => (
  <>
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
  </>
)

const Billing = ({ deployment: { billing_status, paid_until } }: CellProps) => (
  <>
    {billing_status ? <StatusBadge status={billing_status} /> : <Text size="sm">{t('common.free')}</Text>}
    {paid_until && (
      <Text size="xs" c="dimmed" mt={2}>
        <RichText k="admin.deployments.until" time={<RelativeTime at={paid_until} />} />
      </Text>
    )}
  </>
)

function Actions({ deployment, onAsk }: CellProps & { onAsk: Ask }) {
  const { subdomain, suspended_by, billing_status, desired } = deployment
  if (!mayNow(suspendDeployment)) return null
  return (
    <ActionMenu
      button={
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={desired === 'destroyed'}
          aria-label={t('admin.deployments.actions-for', { subdomain })}
        >
          <Icon name="dots" />
        </ActionIcon>
      }
    >
      {suspended_by === 'admin' ? (
        <MenuItem icon="play" onClick={() => onAsk(deployment, 'reactivate')}>
          {t('admin.deployments.reactivate')}
        </MenuItem>
      ) : (
        <MenuItem icon="ban" onClick={() => onAsk(deployment, 'suspend')}>
          {t('common.suspend')}
        </MenuItem>
      )}
      <MenuItem icon="coins" disabled={billing_status === null} onClick={() => onAsk(deployment, 'payment')}>
        {t('admin.deployments.record-a-payment')}
      </MenuItem>
    </ActionMenu>
  )
}

interface DialogProps extends CellProps {
  action: Action
  onClose: () => void
}

function DeploymentDialog({ deployment, action, onClose }: DialogProps) {
  const { id, subdomain } = deployment
  const shared = { id, onClose, invalidates: [adminListDeployments] }
  if (action === 'payment') return <PaymentDialog deployment={deployment} onClose={onClose} />
  return action === 'suspend' ? (
    <ReasonDialog
      {...shared}
      endpoint={suspendDeployment}
      title={t('admin.deployments.suspend', { subdomain })}
      action={t('common.suspend-2')}
      danger
      hint={t('admin.deployments.the-owner-reads-it-in-the')}
      done={t('admin.deployments.is-suspended', { subdomain })}
    >
      {t('admin.deployments.its-container-stops-and-stays-stopped')}
    </ReasonDialog>
  ) : (
    <ReasonDialog
      {...shared}
      endpoint={reactivateDeployment}
      title={t('admin.deployments.reactivate-2', { subdomain })}
      action={t('common.reactivate')}
      hint={t('admin.deployments.optional-the-owner-reads-it-in')}
      done={t('admin.deployments.the-suspension-of-is-lifted', { subdomain })}
    >
      {t('admin.deployments.it-returns-to-the-state-that')}
    </ReasonDialog>
  )
}
