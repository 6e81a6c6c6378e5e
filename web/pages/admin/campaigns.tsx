import { Button, Progress, Switch, Table, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { adminListCampaigns, updateCampaign } from '../../../contract/admin-campaigns.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { CampaignForm, type Campaign } from './campaign-form.tsx'
import { EditDrawer } from './edit-drawer.tsx'
import { ListCard } from './list-card.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Campaigns() {
  const list = usePagedQuery(adminListCampaigns, {})
  const [editing, setEditing] = useState<string>()
  const edited = list.rows.find(({ id }) => id === editing)
  const close = () => setEditing(undefined)
  const create = (
    <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing('new')}>
      {t('admin.campaigns.new-campaign')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={t('common.campaigns')}
        about={t('admin.campaigns.ads-that-apps-may-show-with')}
        actions={create}
      />
      <ListCard
        list={list}
        lines={5}
        empty={
          <EmptyState icon="megaphone" title={t('admin.campaigns.no-campaign-yet')}>
            {t('admin.campaigns.until-there-is-one-apps-that')}
          </EmptyState>
        }
      >
        <CampaignTable campaigns={list.rows} onEdit={setEditing} />
      </ListCard>
      <EditDrawer
        opened={editing !== undefined}
        title={editing === 'new' ? t('admin.campaigns.new-campaign') : t('admin.campaigns.edit-the-campaign')}
        onClose={close}
      >
        <CampaignForm key={editing} campaign={edited} onDone={close} />
      </EditDrawer>
    </>
  )
}

const CampaignTable = ({ campaigns, onEdit }: { campaigns: readonly Campaign[]; onEdit: (id: string) => void }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.campaigns')}>
    <Table miw={820}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('admin.campaigns.campaign')}</Table.Th>
          <Table.Th>{t('admin.campaigns.runs')}</Table.Th>
          <Table.Th ta="right">{t('admin.campaigns.rate')}</Table.Th>
          <Table.Th ta="right">{t('common.weight')}</Table.Th>
          <Table.Th ta="right">{t('admin.campaigns.impressions')}</Table.Th>
          <Table.Th ta="right">{t('admin.campaigns.clicks')}</Table.Th>
          <Table.Th>{t('admin.campaigns.active')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {campaigns.map((campaign) => (
          <CampaignRow key={campaign.id} campaign={campaign} onEdit={() => onEdit(campaign.id)} />
        ))}
      </Table.Tbody>
    </Table>
  </div>
)

function CampaignRow({ campaign, onEdit }: { campaign: Campaign; onEdit: () => void }) {
  const { id, name, surface_type, payout_rate, weight, active, impressions, clicks } = campaign
  const update = useApiMutation(updateCampaign, {
    invalidates: [adminListCampaigns],
    onDone: (answer) => notify(t('admin.campaigns.is-active', { name, active: Boolean(answer.active) })),
  })
  return (
    <Table.Tr>
      <Table.Td miw={160}>
        <UnstyledButton className={`${classes.name} user-content`} onClick={onEdit} aria-haspopup="dialog">
          {name}
        </UnstyledButton>
        <Text size="xs" c="dimmed">
          {surface_type}
        </Text>
      </Table.Td>
      <RunDates campaign={campaign} />
      <Table.Td ta="right" className="number">
        {payout_rate}
      </Table.Td>
      <Table.Td ta="right" className="number">
        {formatNumber(weight)}
      </Table.Td>
      <Impressions campaign={campaign} />
      <Table.Td ta="right" className={`number ${classes.nowrap}`}>
        {formatNumber(clicks)}
        <Text size="xs" c="dimmed">
          {impressions > 0 ? `${((clicks / impressions) * 100).toFixed(1)} %` : '—'}
        </Text>
      </Table.Td>
      <Table.Td>
        <Switch
          checked={update.isPending ? !active : active}
          disabled={update.isPending}
          onChange={(event) => update.mutate({ params: { id }, body: { active: event.currentTarget.checked } })}
          aria-label={t('admin.campaigns.is-active-2', { name })}
        />
        {update.error && (
          <Text size="xs" c="red" role="alert">
            {update.error.message}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

const isPast = (timestamp: string) => Date.parse(timestamp) < Date.now()

const RunDates = ({ campaign: { starts_at, ends_at } }: { campaign: Campaign }) => (
  <Table.Td className={classes.nowrap}>
    <Text size="sm">
      {starts_at === null ? (
        t('admin.campaigns.no-start-date')
      ) : (
        <RichText
          k={isPast(starts_at) ? 'admin.campaigns.started' : 'admin.campaigns.starts'}
          time={<RelativeTime at={starts_at} />}
        />
      )}
    </Text>
    <Text size="xs" c="dimmed">
      {ends_at === null ? (
        t('admin.campaigns.no-end-date')
      ) : (
        <RichText
          k={isPast(ends_at) ? 'admin.campaigns.ended' : 'admin.campaigns.ends'}
          time={<RelativeTime at={ends_at} />}
        />
      )}
    </Text>
  </Table.Td>
)

function Impressions({ campaign: { name, impressions, max_impressions } }: { campaign: Campaign }) {
  const used = max_impressions === null ? undefined : Math.min(100, (impressions / max_impressions) * 100)
  return (
    <Table.Td ta="right" className="number" miw={130}>
      {max_impressions === null
        ? formatNumber(impressions)
        : t('admin.campaigns.of', { shown: formatNumber(impressions), most: formatNumber(max_impressions) })}
      {used !== undefined && (
        <Progress value={used} size={4} mt={4} aria-label={t('admin.campaigns.impressions-of-used-up', { name })} />
      )}
    </Table.Td>
  )
}
