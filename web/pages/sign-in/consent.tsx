import type { describeAuthorization } from '../../../contract/oauth.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Alert, Anchor, Button, Code, Group, List, Text, TextInput, Title } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { signOut } from '../../session/sign-out.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { Address, ExternalLink } from '../../ui/external-link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { documentTitle, withoutBidiControls } from '../../ui/title.ts'
import { formatPoints, RelativeTime } from '../../ui/format.tsx'
import classes from './consent.module.css'

export type AuthorizationDetails = AnswerOf<typeof describeAuthorization>

interface ConsentProps {
  request: AuthorizationDetails
  username: string
  busy: boolean
  /** With what the app may spend in 24 hours (D-100); null: no limit. */
  onAllow: (daily_limit: number | null) => void
  onDeny: () => void
}

/** The consent page. App metadata is rendered as text only. */
export function Consent({ request, username, busy, onAllow, onDeny }: ConsentProps) {
  const { app, scopes } = request
  const moves_points = scopes.some(({ scope }) => scope === 'points:spend' || scope === 'points:transfer')
  const profile = useApiQuery(me, {}, { enabled: moves_points })
  const [limit, setLimit] = useState(request.daily_limit === null ? '' : String(request.daily_limit))
  const limit_error = isLimit(limit) ? undefined : 'A whole number, or nothing for no limit.'
  useEffect(() => {
    document.title = documentTitle(`Allow ${withoutBidiControls(app.app_name)}?`)
  }, [app.app_name])
  return (
    <Section>
      <Group wrap="nowrap" gap="md" mb="md">
        <AppLogo app={app.client_id} name={app.app_name} logo_url={app.logo_url} size="lg" />
        <PageTitle fz={22}>
          <bdi>{app.app_name}</bdi> wants access to your account
        </PageTitle>
      </Group>
      {app.app_description && (
        <Text size="sm" c="dimmed" mb="md" className="user-content" lineClamp={4}>
          {app.app_description}
        </Text>
      )}
      <Facts request={request} />
      {!request.redirect_uri.startsWith('https:') && <UnverifiedReceiver />}
      <Title order={2} fz="md" mt="lg" mb="xs" id="scopes-title">
        It will be able to
      </Title>
      <List
        spacing={8}
        icon={<Icon name="check" size={18} />}
        aria-labelledby="scopes-title"
        classNames={{ itemIcon: classes.tick }}
      >
        {scopes.map(({ scope, grants }) => (
          <List.Item key={scope}>
            {grants} <Code>{scope}</Code>
          </List.Item>
        ))}
      </List>
      {moves_points && !profile.isPending && (
        <>
          <BalanceNote balance={profile.data?.user.points} />
          <TextInput
            mt="md"
            label="Daily limit"
            description="Optional: the most it may spend in 24 hours. You can change it later under Connected apps."
            placeholder="no limit"
            inputMode="numeric"
            autoComplete="off"
            value={limit}
            error={limit_error}
            onChange={({ currentTarget }) => setLimit(currentTarget.value.trim())}
          />
        </>
      )}
      <Group grow mt="lg" gap="sm">
        <Button variant="default" onClick={onDeny} disabled={busy}>
          Deny
        </Button>
        <Button
          onClick={() => onAllow(limit === '' ? null : Number(limit))}
          disabled={limit_error !== undefined}
          loading={busy || (moves_points && profile.isPending)}
        >
          Allow
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="md">
        Allow only an app that you came from yourself: Plaza does not check what apps say about themselves. You can
        disconnect it at any time.
      </Text>
      <Group gap={6} mt="sm" fz="sm">
        <Text size="sm" c="dimmed">
          Signed in as <bdi>{username}</bdi>.
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
          Use another account
        </Anchor>
      </Group>
    </Section>
  )
}

const isLimit = (text: string) => /^\d*$/.test(text) && Number.isSafeInteger(Number(text))

const Facts = ({ request: { app, redirect_host } }: { request: AuthorizationDetails }) => (
  <dl className={classes.facts}>
    <Fact name="Made by">
      <bdi>{app.owner_username}</bdi>
    </Fact>
    {app.website_url && (
      <Fact name="Website">
        <ExternalLink address={app.website_url} />
      </Fact>
    )}
    <Fact name="Registered">
      <RelativeTime at={app.inserted_at} />
    </Fact>
    <Fact name="Sends you to">
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

/** A redirect URI without https does not identify its receiver. */
const UnverifiedReceiver = () => (
  <Alert mt="md" color="orange" icon={<Icon name="alert" />}>
    <strong>Receiver not verified.</strong> The answer goes to a program on this device, and Plaza cannot check which
    one. Allow this only if you have just started the sign-in yourself.
  </Alert>
)

/** The points that the app could spend. */
const BalanceNote = ({ balance }: { balance: number | undefined }) => (
  <Alert mt="md" color="plaza" icon={<Icon name="coins" />}>
    {balance === undefined ? (
      'Your balance could not be read. This app could use all of your points without asking again.'
    ) : (
      <>
        You have <strong>{formatPoints(balance)}</strong>. This app could use all of them without asking again.
      </>
    )}
  </Alert>
)
