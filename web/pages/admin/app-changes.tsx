import { Alert, Stack, Text } from '@mantine/core'
import type { adminListApps } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'

type App = AnswerOf<typeof adminListApps>['data'][number]

/** What changed of an app since it was approved: before and after. */
export function AppChanges({ app }: { app: App }) {
  if (!app.approved) return null
  const { approved } = app
  const changes = [
    { name: 'Name', before: [approved.app_name], after: [app.app_name] },
    { name: 'Logo', before: lines(approved.logo_url), after: lines(app.logo_url) },
    { name: 'Website', before: lines(approved.website_url), after: lines(app.website_url) },
    { name: 'Sends people to', before: approved.redirect_uris, after: app.redirect_uris },
  ].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
  return (
    <Alert color="yellow" title="Changed since approval" mb="md">
      <Stack gap="sm" role="list" aria-label="What changed">
        {changes.map(({ name, before, after }) => (
          <div key={name} role="listitem">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Values label="Approved" values={before} others={after} />
            <Values label="Now" values={after} others={before} />
          </div>
        ))}
      </Stack>
    </Alert>
  )
}

const lines = (address: string | null) => (address === null ? [] : [address])

/** Values, of which those that the other side lacks stand out. */
const Values = ({ label, values, others }: { label: string; values: readonly string[]; others: readonly string[] }) => (
  <Text size="sm" component="div">
    {label}:{' '}
    {values.length === 0
      ? 'none'
      : values.map((value, at) => (
          <span key={value}>
            {at > 0 && ', '}
            <Text span inherit className="user-content" fw={others.includes(value) ? 400 : 700}>
              {value}
            </Text>
          </span>
        ))}
  </Text>
)
