import { Group, Pagination, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { listPublicOperators } from '../../../contract/operators.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { isWebAddress, OpenApp } from '../../ui/external-link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { ReviewedNote } from '../../ui/reviewed-note.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type App = AnswerOf<typeof listPublicOperators>['data'][number]

export default function Directory() {
  const router = useRouter()
  const requested = Number(useSearch({ from: '/directory' }).page)
  const page = Number.isSafeInteger(requested) && requested > 0 ? requested : 1
  const query = useApiQuery(listPublicOperators, { query: { page } })
  const turnTo = (to: number) =>
    void router.navigate({ to: '/directory', search: to === 1 ? {} : { page: String(to) } })
  return (
    <>
      <PageHead title={t('common.directory-of-apps')} about={t('public.directory.apps-that-an-admin-has-approved')} />
      <QueryResult query={query}>
        {({ data, total, page_size }) => {
          const pages = Math.ceil(total / page_size)
          return (
            <>
              {data.length === 0 ? <NoApps beyond={total > 0} /> : <Apps apps={data} />}
              {pages > 1 && (
                <Pagination
                  mt="lg"
                  total={pages}
                  value={page}
                  onChange={turnTo}
                  getItemProps={(at) => ({ 'aria-label': t('public.directory.page', { at }) })}
                  getControlProps={(control) => ({ 'aria-label': t('public.directory.page-2', { control }) })}
                />
              )}
            </>
          )
        }}
      </QueryResult>
    </>
  )
}

const NoApps = ({ beyond }: { beyond: boolean }) => (
  <Section>
    <EmptyState
      icon="app"
      title={beyond ? t('public.directory.this-page-is-past-the-end') : t('public.directory.no-app-is-listed-yet')}
    >
      {!beyond && t('public.directory.apps-come-here-once-an-admin')}
    </EmptyState>
  </Section>
)

const Apps = ({ apps }: { apps: App[] }) => (
  <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} component="ul" p={0} m={0}>
    {apps.map((app) => (
      <AppCard key={app.id} app={app} />
    ))}
  </SimpleGrid>
)

const AppCard = ({ app, app: { id, app_name, app_description, logo_url, website_url, inserted_at } }: { app: App }) => (
  <Paper component="li" withBorder p="md" bg="var(--plaza-card)">
    <Group wrap="nowrap" align="flex-start">
      <AppLogo app={id} name={app_name} logo_url={logo_url} />
      <div>
        <Title order={2} fz="md" className="user-content">
          {app_name}
        </Title>
        <Text size="xs" c="dimmed">
          <RichText k="public.directory.registered" time={<RelativeTime at={inserted_at} />} />
        </Text>
      </div>
    </Group>
    {app_description && (
      <Text size="sm" mt="sm" lineClamp={4} className="user-content">
        {app_description}
      </Text>
    )}
    {isWebAddress(website_url) && (
      <Group mt="sm" gap="sm">
        <OpenApp name={app_name} address={website_url} />
        <Text size="sm" c="dimmed" className="user-content">
          {new URL(website_url).host}
        </Text>
      </Group>
    )}
    <ReviewedNote app={app} />
  </Paper>
)
