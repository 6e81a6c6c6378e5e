import type { describeAuthorization } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Alert, Button, Code, Group, List, Text, TextInput, Title } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { me } from '../../../contract/accounts.ts'
import { movePoints } from '../../../contract/kinds/scopes.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { SignedInAs } from '../../session/signed-in-as.tsx'
import { AppLogo } from '../../ui/app-logo.tsx'
import { Address, ExternalLink } from '../../ui/external-link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { ReviewedNote } from '../../ui/reviewed-note.tsx'
import { documentTitle, withoutBidiControls } from '../../ui/tab-title.ts'
import { formatPoints, RelativeTime } from '../../ui/format.tsx'
import bar from '../../ui/sticky-bar.module.css'
import classes from './consent.module.css'
import { contractText, t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export type AuthorizationDetails = AnswerOf<typeof describeAuthorization>

interface ConsentProps {
  request: AuthorizationDetails
  busy: boolean
  /** With the app's spending limit in 24 hours (D-100); null means no limit. */
  onAllow: (daily_limit: number | null) => void
  onDeny: () => void
}

/** The consent page. App metadata is rendered as text only. */
export function Consent({ request, busy, onAllow, onDeny }: ConsentProps) {
  const { app, scopes } = request
  const moves_points = movePoints(scopes.map(({ scope }) => scope))
  const profile = useApiQuery(me, {}, { enabled: moves_points })
  const [limit, setLimit] = useState(request.daily_limit === null ? '' : String(request.daily_limit))
  const limit_error = isLimit(limit) ? undefined : t('sign-in.consent.a-whole-number-or-nothing-for')
  useEffect(() => {
    document.title = documentTitle(t('sign-in.consent.allow', { app_name: withoutBidiControls(app.app_name) }))
  }, [app.app_name])
  return (
    <Section>
      <SignedInAs />
      <Group wrap="nowrap" gap="md" mb="md">
        <AppLogo app={app.client_id} name={app.app_name} logo_url={app.logo_url} size="lg" />
        <PageTitle fz={22}>
          <RichText k="sign-in.consent.wants-access-to-your-account" bdi={<bdi>{app.app_name}</bdi>} />
        </PageTitle>
      </Group>
      {app.app_description && (
        <Text size="sm" c="dimmed" mb="md" className="user-content" lineClamp={4}>
          {app.app_description}
        </Text>
      )}
      <ReviewedNote app={app} redirect_host={request.redirect_host} />
      <Facts request={request} />
      <Warnings request={request} />
      <Title order={2} fz="md" mt="lg" mb="xs" id="scopes-title">
        {t('sign-in.consent.it-will-be-able-to')}
      </Title>
      <List
        spacing={8}
        icon={<Icon name="check" size={18} />}
        aria-labelledby="scopes-title"
        classNames={{ itemIcon: classes.tick }}
      >
        {scopes.map(({ scope, grants }) => (
          <List.Item key={scope}>{contractText(grants)}</List.Item>
        ))}
      </List>
      {moves_points && !profile.isPending && (
        <>
          <BalanceNote balance={profile.data?.user.points} for_agent={request.for_agent} />
          <TextInput
            mt="xs"
            label={t('sign-in.consent.daily-limit')}
            description={t('sign-in.consent.optional-the-most-it-may-spend')}
            placeholder={t('sign-in.consent.no-limit')}
            inputMode="numeric"
            autoComplete="off"
            value={limit}
            error={limit_error}
            onChange={({ currentTarget }) => setLimit(currentTarget.value.trim())}
          />
        </>
      )}
      <details className={classes.codes}>
        <summary>{t('sign-in.consent.technical-names')}</summary>
        {scopes.map(({ scope }) => (
          <Code key={scope} mr={6}>
            {scope}
          </Code>
        ))}
      </details>
      <Text size="sm" c="dimmed" mt="md">
        {t('sign-in.consent.allow-only-an-app-that-you')}
      </Text>
      <Group grow gap="sm" className={bar.bar}>
        <Button variant="default" onClick={onDeny} disabled={busy}>
          {t('common.deny')}
        </Button>
        <Button
          onClick={() => onAllow(limit === '' ? null : Number(limit))}
          disabled={limit_error !== undefined}
          loading={busy || (moves_points && profile.isPending)}
        >
          {t('sign-in.consent.allow-2')}
        </Button>
      </Group>
    </Section>
  )
}

const isLimit = (text: string) => /^\d*$/.test(text) && Number.isSafeInteger(Number(text))

const Facts = ({ request: { app, redirect_host } }: { request: AuthorizationDetails }) => (
  <dl className={classes.facts}>
    <Fact name={t('sign-in.consent.made-by')}>
      <bdi>{app.owner_username}</bdi>
    </Fact>
    {app.website_url && (
      <Fact name={t('common.website')}>
        <ExternalLink address={app.website_url} />
      </Fact>
    )}
    <Fact name={t('common.registered')}>
      <RelativeTime at={app.inserted_at} />
    </Fact>
    <Fact name={t('sign-in.consent.sends-you-to')}>
      <bdi>
        <Address>{redirect_host}</Address>
      </bdi>
    </Fact>
  </dl>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Warnings before consent: an agent acts on its own (D-156), and the receiver of the response may be unknown. */
const Warnings = ({ request: { for_agent, redirect_uri } }: { request: AuthorizationDetails }) => (
  <>
    {for_agent && (
      <Alert mt="md" color="plaza" icon={<Icon name="robot" />}>
        <RichText k="sign-in.consent.this-is-an-agent" strong={(part) => <strong>{part}</strong>} />
      </Alert>
    )}
    {!redirect_uri.startsWith('https:') && <UnverifiedReceiver />}
  </>
)

/** A redirect URI without https does not identify its receiver. */
const UnverifiedReceiver = () => (
  <Alert mt="md" color="orange" icon={<Icon name="alert" />}>
    <RichText k="sign-in.consent.receiver-not-verified-the-answer-goes" strong={(part) => <strong>{part}</strong>} />
  </Alert>
)

/** The points that the app could spend. An agent asks before it moves points; the warning above says so. */
const BalanceNote = ({ balance, for_agent }: { balance: number | undefined; for_agent: boolean }) =>
  for_agent && balance === undefined ? null : (
    <Text mt="md" size="sm">
      {balance === undefined ? (
        t('sign-in.consent.your-balance-could-not-be-read')
      ) : (
        <RichText
          k={for_agent ? 'sign-in.consent.you-have' : 'sign-in.consent.you-have-this-app-could-use'}
          strong={<strong>{formatPoints(balance)}</strong>}
        />
      )}
    </Text>
  )
