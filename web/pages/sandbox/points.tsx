import { Stack, Text } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { myPointsHistory } from '../../../contract/points.ts'
import { takePlayPoints } from '../../../contract/sandbox.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { Statistics } from '../../ui/description-list.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { play_points_max, play_points_per_day } = decisions.sandbox

export default function GiveMePoints() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead title={t('common.give-me-points')} about={t('sandbox.points.play-points-for-trying-apps-they')} />
      <Stack gap="lg" maw={560}>
        <Section>
          <QueryResult query={profile} rows={2}>
            {({ user: { points } }) => <Statistics items={[[t('common.balance'), formatNumber(points)]]} />}
          </QueryResult>
        </Section>
        <Section>
          <PlayPoints />
        </Section>
      </Stack>
    </>
  )
}

function PlayPoints() {
  const form = useContractForm(takePlayPoints, {
    ignore_unsaved: true,
    initial: { amount: 1_000 as number | string },
    invalidates: [me, myPointsHistory],
    done: ({ points }, { amount }) =>
      t('sandbox.points.for-you-your-balance-is', {
        formatPoints: formatPoints(Number(amount)),
        points: formatPoints(points),
      }),
  })
  return (
    <Form
      form={form}
      action={t('common.give-me-points')}
      note={
        <Text size="sm" c="dimmed">
          <RichText
            k="sandbox.points.they-stand-in-your-history-as"
            link={(part) => (
              <Link to="/points" search={{ kind: 'play' }}>
                {part}
              </Link>
            )}
          />
        </Text>
      }
    >
      <NumberField
        {...form.field('amount')}
        label={t('common.points')}
        description={t('sandbox.points.at-most-at-a-time-and', {
          play_points_max: formatNumber(play_points_max),
          play_points_per_day: formatNumber(play_points_per_day),
        })}
      />
    </Form>
  )
}
