import { Alert, Stack, Text } from '@mantine/core'
import { shownAddress } from '../../../contract/addresses.ts'
import type { adminListApps } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { t } from '../../texts.ts'

type App = AnswerOf<typeof adminListApps>['data'][number]

/** The changes of an app since it was approved: before and after. */
export function AppChanges({ app }: { app: App }) {
  if (!app.approved) return null
  const { approved } = app
  const changes = [
    { name: t('common.name'), before: [approved.app_name], after: [app.app_name] },
    {
      name: t('common.description'),
      before: lines(approved.app_description),
      after: lines(app.app_description),
    },
    { name: t('common.logo'), before: addresses(approved.logo_url), after: addresses(app.logo_url) },
    { name: t('common.website'), before: addresses(approved.website_url), after: addresses(app.website_url) },
    { name: t('common.sends-people-to'), before: approved.redirect_uris, after: app.redirect_uris },
  ].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
  return (
    <Alert color="yellow" title={t('common.changed-since-approval')} mb="md">
      <Stack gap="sm" role="list" aria-label={t('admin.app-changes.what-changed')}>
        {changes.map(({ name, before, after }) => (
          <div key={name} role="listitem">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Values label={t('common.approved')} values={before} others={after} />
            <Values label={t('common.now')} values={after} others={before} />
          </div>
        ))}
      </Stack>
    </Alert>
  )
}

const lines = (text: string | null) => (text === null ? [] : [text])
const addresses = (address: string | null) => lines(address).map(shownAddress)

/** Values, of which those that the other side lacks stand out. */
const Values = ({ label, values, others }: { label: string; values: readonly string[]; others: readonly string[] }) => (
  <Text size="sm" component="div">
    {label}:{' '}
    {values.length === 0
      ? t('common.none')
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
