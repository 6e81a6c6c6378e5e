import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { disconnectApp, listConnectedApps } from '../../../contract/oauth.ts'
import { isScope, movePoints, scope_names } from '../../../contract/kinds/scopes.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { scope_looks } from '../../kinds.tsx'
import { AppLogo } from '../../ui/app-logo.tsx'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { OpenApp } from '../../ui/external-link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatPoints, RelativeTime } from '../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import { ReviewedNote } from '../../ui/reviewed-note.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import classes from './connected-apps.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { grantOf } from '../../ui/grant-of.ts'

const LimitDialog = lazyComponent(() => import('./limit-dialog.tsx'))
const AgentMovements = lazyComponent(() => import('./agent-movements.tsx'))

type App = AnswerOf<typeof listConnectedApps>['connected_apps'][number]

export default function ConnectedApps() {
  const query = useApiQuery(listConnectedApps, {})
  return (
    <>
      <PageHead title={t('common.connected-apps')} about={t('account.connected-apps.apps-that-have-access-to-your')} />
      <Section>
        <QueryResult
          query={query}
          rows={5}
          empty={
            <EmptyState icon="plug" title={t('account.connected-apps.no-connected-apps')}>
              <Stack align="center" gap="sm">
                {t('account.connected-apps.when-you-sign-in-to-an')}
                <LinkButton to="/directory" size="xs" variant="default">
                  {t('account.connected-apps.see-the-apps')}
                </LinkButton>
              </Stack>
            </EmptyState>
          }
        >
          {({ connected_apps }) => (
            <Rows label={t('common.connected-apps')}>
              {connected_apps.map((app) => (
                <Entry key={app.app_id} app={app} />
              ))}
            </Rows>
          )}
        </QueryResult>
      </Section>
    </>
  )
}

function Entry({ app }: { app: App }) {
  const [shows_agent, setShowsAgent] = useState(false)
  return (
    <Row
      lead={{ element: <AppLogo app={app.app_id} name={app.app_name} logo_url={app.logo_url} /> }}
      top
      action={
        <Group gap="xs">
          <OpenApp name={app.app_name} address={app.website_url} />
          <Disconnect app={app} />
        </Group>
      }
    >
      <Title order={2} fz="md" className="user-content">
        {app.app_name}
      </Title>
      {(app.acts_as_agent || app.bound_to_key) && (
        <Group gap="xs" mt={4}>
          {app.acts_as_agent && (
            <Badge leftSection={<Icon name="robot" size={13} />}>{t('account.connected-apps.acts-as-an-agent')}</Badge>
          )}
          {app.bound_to_key && (
            <Badge variant="default" leftSection={<Icon name="key" size={13} />}>
              {t('account.connected-apps.bound-to-a-key')}
            </Badge>
          )}
        </Group>
      )}
      {app.app_description && (
        <Text size="sm" c="dimmed" className="user-content" lineClamp={2}>
          {app.app_description}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={4}>
        <RichText
          k="account.connected-apps.connected"
          last_used={
            app.last_used ? (
              <RichText k="account.connected-apps.last-used" time={<RelativeTime at={app.last_used} />} />
            ) : (
              t('account.connected-apps.not-used-yet')
            )
          }
          time={<RelativeTime at={app.connected_at} />}
        />
      </Text>
      <ReviewedNote app={app} />
      <ul className={classes.scopes} aria-label={t('account.connected-apps.what-may-do', { app_name: app.app_name })}>
        {sortedScopes(app.scopes).map((scope) => (
          <li key={scope}>
            <Icon name={isScope(scope) ? scope_looks[scope].icon : 'check'} size={15} />
            <span>{grantOf(scope)}</span>
          </li>
        ))}
      </ul>
      <Group gap="xs" mt={6}>
        {movePoints(app.scopes) && <DailyLimit app={app} />}
        <Link to="/points" search={{ app: app.app_id }} size="sm">
          {t('account.connected-apps.its-movements')}
        </Link>
        {app.acts_as_agent && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={shows_agent}
            onClick={() => setShowsAgent(!shows_agent)}
          >
            {t('account.connected-apps.acts-of-the-agent')}
          </Button>
        )}
      </Group>
      {shows_agent && (
        <OnDemand>
          <AgentMovements app_id={app.app_id} />
        </OnDemand>
      )}
    </Row>
  )
}

/** The limit of an app in 24 hours, with a dialog to change it. */
function DailyLimit({ app }: { app: App }) {
  const [changing, setChanging] = useState(false)
  return (
    <>
      <Text size="sm">
        {app.daily_limit === null
          ? t('account.daily-limit.no-daily-limit')
          : t('account.daily-limit.at-most-in-24-hours', { daily_limit: formatPoints(app.daily_limit) })}
      </Text>
      {app.daily_limit_used !== null && (
        <Text size="sm" c="dimmed">
          {t('account.daily-limit.used-in-the-last-24-hours', { daily_limit_used: formatPoints(app.daily_limit_used) })}
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setChanging(true)}
        aria-label={t('account.daily-limit.daily-limit-daily-limit-of', {
          daily_limit: app.daily_limit === null,
          app_name: app.app_name,
        })}
      >
        {app.daily_limit === null ? t('account.daily-limit.set-one') : t('account.daily-limit.change')}
      </Button>
      {changing && (
        <OnDemand>
          <LimitDialog app={app} onClose={() => setChanging(false)} />
        </OnDemand>
      )}
    </>
  )
}

/** In the order of the consent page. */
const sortedScopes = (granted: readonly string[]) => {
  const known: readonly string[] = scope_names
  return [...granted].sort((one, other) => known.indexOf(one) - known.indexOf(other))
}

const Disconnect = ({ app: { app_id, app_name } }: { app: App }) => (
  <ConfirmButton
    label={t('account.connected-apps.disconnect-2')}
    button={{ size: 'xs', 'aria-label': t('account.connected-apps.disconnect', { app_name }) }}
    endpoint={disconnectApp}
    input={{ params: { app_id } }}
    invalidates={[listConnectedApps, me]}
    done={() => <RichText k="account.connected-apps.is-disconnected" bdi={<bdi>{app_name}</bdi>} />}
    title={<RichText k="account.connected-apps.disconnect-3" bdi={<bdi>{app_name}</bdi>} />}
    action={t('account.connected-apps.disconnect-2')}
  >
    <Text size="sm">{t('account.connected-apps.it-can-no-longer-read-or')}</Text>
  </ConfirmButton>
)
