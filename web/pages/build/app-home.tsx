import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { getBalanceOfMyApp, listTransfersOfMyApp } from '../../../contract/app-payments.ts'
import { listSecrets } from '../../../contract/oauth-apps.ts'
import { createWebhook, listDeliveries, listWebhooks } from '../../../contract/webhooks.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Chart, RowDetail } from '../../ui/chart.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { LeadIcon, Row, Rows } from '../../ui/rows.tsx'
import { Tile } from '../../ui/tile.tsx'
import { t } from '../../texts.ts'
import type { MyApp } from './access.ts'
import { may } from './may.tsx'
import { PaymentTable } from './payments/payment-table.tsx'
import { earnedIn, nameOfPeriod, useSeries } from './payments/series.ts'
import { answerText, type Webhook } from './webhooks/webhook.ts'

const AppReview = lazyComponent(() => import('./app-review.tsx'))

/** The app at a glance: figures, problems, and the last payments. */
export default function AppHome({ app }: { app: MyApp }) {
  return (
    <Stack>
      <OnDemand>{app.review.status !== 'approved' && <AppReview app={app} />}</OnDemand>
      <FailingWebhooks app={app} />
      <NextStep app={app} />
      <Figures app={app} />
      <LastPayments app={app} />
    </Stack>
  )
}

const days = 30
const chart_height = 160

/** The figures of a period next to those of the previous period. */
function Figures({ app }: { app: MyApp }) {
  const params = { id: app.id }
  const series = useSeries(app, 'day', 2 * days)
  const balance = useApiQuery(getBalanceOfMyApp, { params })
  const periods = series.data?.periods ?? []
  const [today, yesterday] = [earnedIn(periods.slice(-1)), earnedIn(periods.slice(-2, -1))]
  const [month, month_before] = [earnedIn(periods.slice(-days)), earnedIn(periods.slice(-2 * days, -days))]
  const shown = (amount: number | undefined) => (amount === undefined ? '…' : formatNumber(amount))
  const to_payments = { to: '/apps/$id', params, search: { tab: 'payments' } } as const
  return (
    <>
      <FailureNote error={series.error ?? balance.error} onRetry={() => void series.refetch()} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Tile
          {...to_payments}
          label={t('build.app-home.earned-today')}
          value={shown(series.data && today)}
          about={t('build.app-home.yesterday', { amount: formatNumber(yesterday) })}
        />
        <Tile
          {...to_payments}
          label={t('build.app-home.earned-in-30-days')}
          value={shown(series.data && month)}
          about={t('build.app-home.in-the-30-days-before', { amount: formatNumber(month_before) })}
        />
        <Tile
          {...to_payments}
          label={t('common.balance')}
          value={shown(balance.data?.points)}
          about={t('build.app-home.held', { amount: formatNumber(balance.data?.held_for_app ?? 0) })}
        />
        <Tile
          to="/apps/$id"
          params={params}
          search={{ tab: 'people' }}
          label={t('build.app.people')}
          value={formatNumber(app.total_users)}
          about={t('common.connected-now-or-once')}
        />
      </SimpleGrid>
      {month > 0 && (
        <Section
          title={t('build.app-home.points-earned-each-day')}
          about={t('build.app-balance.days-and-months-of-utc')}
        >
          <Chart
            kind="bars"
            height={chart_height}
            rows={periods.slice(-days)}
            lines={[{ name: t('build.app-balance.earned'), color: 'plaza.6', valueOf: ({ earned }) => earned }]}
            label={t('build.app-home.earned-in-the-last-30-days', { amount: formatNumber(month) })}
            tick={(period) => nameOfPeriod('day', period)}
            mark={formatNumber}
            whole
            detail={(period) => (
              <RowDetail
                title={nameOfPeriod('day', period)}
                values={[
                  [t('build.app-balance.earned'), formatNumber(period.earned)],
                  [t('common.returned'), formatNumber(period.spent)],
                ]}
              />
            )}
          />
        </Section>
      )}
    </>
  )
}

const shown_payments = 5

function LastPayments({ app }: { app: MyApp }) {
  const router = useRouter()
  const params = { id: app.id }
  const query = useApiQuery(listTransfersOfMyApp, { params, query: { limit: shown_payments } })
  return (
    <QueryResult query={query}>
      {({ data }) =>
        data.length > 0 && (
          <Section
            title={t('build.app-home.last-payments')}
            actions={
              <LinkButton to="/apps/$id" params={params} search={{ tab: 'payments' }} size="xs" variant="default">
                {t('build.app-home.all-payments')}
              </LinkButton>
            }
          >
            <PaymentTable
              payments={data}
              onOpen={(payment) =>
                void router.navigate({ to: '/apps/$id', params, search: { tab: 'payments', payment } })
              }
            />
          </Section>
        )
      }
    </QueryResult>
  )
}

/** Failing webhooks, each with its last response. */
function FailingWebhooks({ app }: { app: MyApp }) {
  const { data } = useApiQuery(listWebhooks, { params: { id: app.id } })
  const failing = data?.webhooks.filter(({ failing_since }) => failing_since !== null) ?? []
  if (failing.length === 0) return null
  return (
    <Section title={t('build.app-home.webhooks-that-fail')}>
      <Rows>
        {failing.map((webhook) => (
          <Failing key={webhook.id} app={app} webhook={webhook} />
        ))}
      </Rows>
    </Section>
  )
}

const looked_through = 20

function Failing({ app, webhook: { id, url, failing_since } }: { app: MyApp; webhook: Webhook }) {
  const input = { params: { id: app.id, webhook_id: id }, query: { limit: looked_through } }
  const deliveries = useApiQuery(listDeliveries, input).data?.data
  const last = deliveries?.find(({ status, last_attempt }) => status !== 'succeeded' && last_attempt)
  return (
    <Row
      lead={{ element: <LeadIcon name="alert" c="red" /> }}
      action={
        <LinkButton
          to="/apps/$id"
          params={{ id: app.id }}
          search={{ tab: 'developers', webhook: id, delivery: last?.id }}
          hash="webhooks"
          size="xs"
        >
          {t('build.app-home.see-why')}
        </LinkButton>
      }
    >
      <Text fw={550} className="user-content">
        {url}
      </Text>
      <Text size="sm" c="dimmed" className="user-content" lineClamp={2}>
        <RichText k="build.app-webhooks.failing-since" time={<RelativeTime at={failing_since} />} />
        {last && ` · ${answerText(last)}`}
      </Text>
    </Row>
  )
}

/** The first step that an approved app has not taken yet. */
function NextStep({ app }: { app: MyApp }) {
  const params = { id: app.id }
  const is_admin = may(app, listSecrets)
  const secrets = useApiQuery(listSecrets, { params }, { enabled: is_admin }).data?.secrets
  const webhooks = useApiQuery(listWebhooks, { params }).data?.webhooks
  const earned = useApiQuery(getBalanceOfMyApp, { params }).data?.total_earned
  if (app.review.status !== 'approved' || (is_admin && !secrets) || !webhooks || earned === undefined) return null
  const link = (text: string, hash: string) => (
    <Link to="/apps/$id" params={params} search={{ tab: 'developers' }} hash={hash}>
      {text}
    </Link>
  )
  const playground = (
    <Link to="/playground" search={{ app: app.id }}>
      {t('build.app-home.take-the-first-payment')}
    </Link>
  )
  const steps = [
    secrets?.every(({ last_used_at }) => last_used_at === null) &&
      link(t('build.app-home.put-a-secret-into-your-server'), 'secrets'),
    earned === 0 && playground,
    may(app, createWebhook) && webhooks.length === 0 && link(t('build.app-home.add-a-webhook'), 'webhooks'),
  ].filter((step) => step !== false && step !== undefined)
  return (
    steps.length > 0 && (
      <Section>
        <Text size="sm">
          <RichText k="build.app-home.next-step" step={steps[0]} />
        </Text>
      </Section>
    )
  )
}
