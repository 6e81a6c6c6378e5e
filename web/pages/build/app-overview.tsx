import { List, SimpleGrid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { settings } from '../../settings.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { PreviousReason, Rejected } from './app-review.tsx'
import { Copyable } from './copyable.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

/** An app's details, the values for its configuration and the next steps. */
export const AppOverview = ({ app }: { app: MyApp }) => (
  <Stack>
    {app.review.status === 'rejected' && <Rejected app={app} />}
    {app.review.status === 'pending' && <WhilePending app={app} />}
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title={t('build.app-overview.for-your-code')}>
        <DescriptionList
          items={[
            [
              t('common.client-id'),
              <Copyable key="id" value={app.client_id} what={t('build.app-overview.the-client-id')} />,
            ],
            ['Plaza', <Copyable key="plaza" value={location.origin} what={t('build.app-overview.plazas-address')} />],
            [
              t('build.app-overview.metadata'),
              <Copyable
                key="metadata"
                value={`${location.origin}/.well-known/oauth-authorization-server`}
                what={t('build.app-overview.the-address-of-the-metadata')}
              />,
            ],
            settings.is_sandbox && [
              t('build.app-overview.as-others-see-it'),
              <Link key="person" to="/sandbox/persons">
                {t('build.app-overview.sign-in-as-a-test-person')}
              </Link>,
            ],
            [
              t('common.documentation'),
              <a key="docs" href="/docs">
                {t('build.app-overview.guides-and-every-call-with-its')}
              </a>,
            ],
          ]}
        />
      </Section>
      <Section title={t('build.app-overview.at-a-glance')}>
        <DescriptionList
          items={[
            [
              t('common.users'),
              t('build.app-overview.ever-connected-with-you-if-you', { total_users: formatNumber(app.total_users) }),
            ],
            [t('build.app-overview.may-use'), app.allowed_scopes.join(', ') || t('common.nothing')],
            [
              t('build.redirect-uris.redirect-uris'),
              app.redirect_uris.map((uri) => (
                <div key={uri} className="user-content">
                  {uri}
                </div>
              )),
            ],
            [
              'PKCE',
              app.require_pkce
                ? t('build.app-overview.required-of-everybody')
                : t('build.app-overview.required-where-no-secret-is-sent'),
            ],
            [
              t('common.website'),
              app.website_url ? (
                <ExternalLink key="website" address={app.website_url} />
              ) : (
                t('build.app-overview.not-given')
              ),
            ],
            [t('common.registered'), <RelativeTime key="registered" at={app.inserted_at} />],
            [t('build.app-overview.changed'), <RelativeTime key="changed" at={app.updated_at} />],
          ]}
        />
      </Section>
    </SimpleGrid>
  </Stack>
)

/** Next steps before the review. */
function WhilePending({ app }: { app: MyApp }) {
  const linkTo = (tab: 'settings' | 'secrets' | 'scopes') => (part: ReactNode) => (
    <Link to="/apps/$id" params={{ id: app.id }} search={{ tab }}>
      {part}
    </Link>
  )
  return (
    <Section title={t('common.pending-review')} about={t('build.app-overview.an-admin-reviews-it-the-decision')}>
      <PreviousReason app={app} />
      <List size="sm" spacing={6}>
        <List.Item>
          <RichText
            k="build.app-overview.say-what-it-does-the-admin"
            link={linkTo('settings')}
            app_description={Boolean(app.app_description)}
          />
        </List.Item>
        <List.Item>
          <RichText k="build.app-overview.put-the-client-id-and-a" link={linkTo('secrets')} />
        </List.Item>
        <List.Item>
          <RichText k="build.app-overview.check-the-redirect-uris-they-are" link={linkTo('settings')} />
        </List.Item>
        <List.Item>
          <RichText k="build.app-overview.ask-for-further-scopes-now-so" link={linkTo('scopes')} />
        </List.Item>
        <List.Item>
          <RichText
            k="build.app-overview.read-the-guides-the-playground-shows"
            link={(part) => <a href="/docs">{part}</a>}
            link_2={(part) => <Link to="/playground">{part}</Link>}
          />
        </List.Item>
      </List>
    </Section>
  )
}
