import { Progress, Switch, Text, UnstyledButton } from '@mantine/core'
import { adminListCampaigns, createCampaign, updateCampaign } from '../../../contract/admin-campaigns.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { useMay } from '../../session/rights.tsx'
import { numberColumn, type Column } from '../../ui/data-table.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { CampaignForm, type Campaign } from './campaign-form.tsx'
import { Catalogue } from './catalogue.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Campaigns() {
  return (
    <Catalogue
      list={usePagedQuery(adminListCampaigns, {})}
      title={t('common.campaigns')}
      about={t('admin.campaigns.ads-that-apps-may-show-with')}
      call={createCampaign}
      create={t('admin.campaigns.new-campaign')}
      edit={t('admin.campaigns.edit-the-campaign')}
      empty={
        <EmptyState icon="megaphone" title={t('admin.campaigns.no-campaign-yet')}>
          {t('admin.campaigns.until-there-is-one-apps-that')}
        </EmptyState>
      }
      miw={820}
      columnsOf={columnsOf}
      form={(campaign, onDone) => <CampaignForm key={campaign?.id} campaign={campaign} onDone={onDone} />}
    />
  )
}

const columnsOf = (onEdit?: (id: string) => void): Column<Campaign>[] => [
  {
    head: t('admin.campaigns.campaign'),
    td: { minWidth: 160 },
    cell: ({ id, name, surface_type }) => (
      <>
        {onEdit ? (
          <UnstyledButton className={`${classes.name} user-content`} onClick={() => onEdit(id)} aria-haspopup="dialog">
            {name}
          </UnstyledButton>
        ) : (
          <span className="user-content">{name}</span>
        )}
        <Text size="xs" c="dimmed">
          {surface_type}
        </Text>
      </>
    ),
  },
  { head: t('admin.campaigns.runs'), className: classes.nowrap, cell: (campaign) => <RunDates campaign={campaign} /> },
  { head: t('admin.campaigns.rate'), ta: 'right', className: 'number', cell: ({ payout_rate }) => payout_rate },
  numberColumn(t('common.weight'), ({ weight }) => weight),
  {
    head: t('admin.campaigns.impressions'),
    ta: 'right',
    className: 'number',
    td: { minWidth: 130 },
    cell: (campaign) => <Impressions campaign={campaign} />,
  },
  {
    head: t('admin.campaigns.clicks'),
    ta: 'right',
    className: 'number',
    cell: ({ clicks, impressions }) => (
      <>
        {formatNumber(clicks)}
        <Text size="xs" c="dimmed">
          {impressions > 0 ? `${((clicks / impressions) * 100).toFixed(1)} %` : '—'}
        </Text>
      </>
    ),
  },
  { head: t('admin.campaigns.active'), cell: (campaign) => <ActiveSwitch campaign={campaign} /> },
]

function ActiveSwitch({ campaign: { id, name, active } }: { campaign: Campaign }) {
  const may = useMay(updateCampaign)
  const update = useApiMutation(updateCampaign, {
    invalidates: [adminListCampaigns],
    onDone: (answer) => notify(t('admin.campaigns.is-active', { name, active: Boolean(answer.active) })),
  })
  return (
    <>
      <Switch
        checked={update.isPending ? !active : active}
        disabled={update.isPending || !may}
        onChange={(event) => update.mutate({ params: { id }, body: { active: event.currentTarget.checked } })}
        aria-label={t('admin.campaigns.is-active-2', { name })}
      />
      {update.error && (
        <Text size="xs" c="red" role="alert">
          {update.error.message}
        </Text>
      )}
    </>
  )
}

const isPast = (timestamp: string) => Date.parse(timestamp) < Date.now()

const RunDates = ({ campaign: { starts_at, ends_at } }: { campaign: Campaign }) => (
  <>
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
  </>
)

const Impressions = ({ campaign: { name, impressions, max_impressions } }: { campaign: Campaign }) =>
  max_impressions === null ? (
    formatNumber(impressions)
  ) : (
    <>
      {t('admin.campaigns.of', { shown: formatNumber(impressions), most: formatNumber(max_impressions) })}
      <Progress
        value={Math.min(100, (impressions / max_impressions) * 100)}
        size={4}
        mt={4}
        aria-label={t('admin.campaigns.impressions-of-used-up', { name })}
      />
    </>
  )
