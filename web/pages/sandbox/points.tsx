import { Button, NumberInput, Stack, Text } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { myPointsHistory } from '../../../contract/points.ts'
import { takePlayPoints } from '../../../contract/sandbox.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Statistics } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'

const { play_points_max, play_points_per_day } = decisions['D-102'].value

export default function GiveMePoints() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead
        title="Give me points"
        about="Play points, for trying apps. They work like any points of this sandbox, and mean nothing outside it."
      />
      <Stack gap="lg" maw={560}>
        <Section>
          <QueryResult query={profile} rows={2}>
            {({ user: { points } }) => <Statistics items={[['Balance', formatNumber(points)]]} />}
          </QueryResult>
        </Section>
        <Section>
          <Form />
        </Section>
      </Stack>
    </>
  )
}

function Form() {
  const refresh = useRefresh([me, myPointsHistory])
  const { field, props, busy, failure } = useContractForm(takePlayPoints, {
    ignore_unsaved: true,
    initial: { amount: 1_000 as number | string },
    onDone: ({ points }, { amount }) => {
      refresh()
      notify(`${formatPoints(Number(amount))} for you. Your balance is ${formatPoints(points)}.`)
    },
  })
  return (
    <form {...props}>
      <Stack align="flex-start">
        <FailureNote error={failure} />
        <NumberInput
          {...field('amount')}
          label="Points"
          description={`At most ${formatNumber(play_points_max)} at a time, and ${formatNumber(play_points_per_day)} in 24 hours.`}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          inputMode="numeric"
          w="100%"
        />
        <Button type="submit" loading={busy}>
          Give me points
        </Button>
        <Text size="sm" c="dimmed">
          They stand in your{' '}
          <Link to="/points" search={{ kind: 'play' }}>
            history
          </Link>{' '}
          as play points.
        </Text>
      </Stack>
    </form>
  )
}
