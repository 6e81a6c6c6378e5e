import { Alert, Code, Group, List, Text, Title } from '@mantine/core'
import { isScope } from '../../../contract/kinds/scopes.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { DescriptionList, type Items } from '../../ui/description-list.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { grantOf } from '../../ui/grant-of.ts'
import { Link } from '../../ui/link.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { AppChanges, type AdminApp as App, requirement } from './app-changes.tsx'
import { PersonLink } from './person-link.tsx'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'

/** An app as an admin decides about it. */
export const AppDetail = ({ app, more = [] }: { app: App; more?: Items }) => (
  <>
    <Group gap="xs" mb={4}>
      <AppLogo app={app.id} name={app.app_name} logo_url={app.logo_url} is_private={app.status !== 'approved'} />
      <Title order={2} className="user-content">
        {app.app_name}
      </Title>
      <StatusBadge status={app.status} />
      {app.is_approved && (
        <Text size="sm" c="dimmed">
          {app.listed ? t('admin.app-queue.listed') : t('admin.app-queue.not-listed')}
        </Text>
      )}
    </Group>
    <Text size="sm" mb="md" className="user-content" c={app.app_description ? undefined : 'dimmed'}>
      {app.app_description ?? t('admin.app-queue.no-description')}
    </Text>
    {app.status === 'pending' && app.review.resubmitted_at !== null && <Resubmitted app={app} />}
    {(app.changed_since_approval || app.status === 'pending') && <AppChanges app={app} />}
    <DescriptionList items={[...factsOf(app), ...more]} />
  </>
)

/** The reason of the last rejection, and the owner's answer to it. */
const Resubmitted = ({ app: { review } }: { app: App }) => (
  <Alert
    color="gray"
    mb="md"
    title={<RichText k="admin.app-queue.submitted-again" time={<RelativeTime at={review.resubmitted_at} />} />}
  >
    <DescriptionList
      items={[
        [t('admin.app-queue.rejected-before-because'), <Quote key="reason" text={review.reason} />],
        [t('admin.app-queue.note-of-the-owner'), <Quote key="note" text={review.note} />],
      ]}
    />
  </Alert>
)

const Quote = ({ text }: { text: string | null }) => (
  <Text size="sm" className="user-content" style={{ whiteSpace: 'pre-wrap' }}>
    {text ?? t('common.none')}
  </Text>
)

const factsOf = (app: App): Items => [
  app.team_id !== null && [
    t('common.owner'),
    <Link key="team" to="/admin/apps" search={{ q: app.team_id }} className="user-content">
      {t('admin.apps.team', { name: app.team_name ?? '' })}
    </Link>,
  ],
  [
    app.team_id === null ? t('common.owner') : t('admin.app-detail.acts-for-the-team'),
    <PersonLink key="owner" id={app.owner_id} name={app.owner_username} />,
  ],
  [t('common.registered'), <RelativeTime key="at" at={app.inserted_at} />],
  [t('common.website'), app.website_url ? <ExternalLink key="site" address={app.website_url} /> : t('common.none')],
  [
    t('common.sends-people-to'),
    <List key="to" size="sm" listStyleType="none">
      {app.redirect_uris.map((uri) => (
        <List.Item key={uri}>
          <Code>{uri}</Code>
        </List.Item>
      ))}
    </List>,
  ],
  [t('common.scopes'), <Scopes key="scopes" names={app.allowed_scopes} />],
  ['PKCE', requirement(app.require_pkce)],
  ['DPoP', requirement(app.require_dpop)],
  app.decision_reason !== null && app.status !== 'pending' && [t('common.reason-given'), app.decision_reason],
]

/** Scopes with their descriptions. */
export const Scopes = ({ names }: { names: readonly string[] }) =>
  names.length === 0 ? (
    <>{t('common.none')}</>
  ) : (
    <List size="sm" listStyleType="none" spacing={4}>
      {names.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code> {isScope(scope) && <Text span inherit>{` ${grantOf(scope)}`}</Text>}
        </List.Item>
      ))}
    </List>
  )
