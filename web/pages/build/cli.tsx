import { Alert, Button, Group, List, NativeSelect, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { createCliCode } from '../../../contract/cli.ts'
import { decisions } from '../../../contract/decisions.ts'
import { includesRole } from '../../../contract/kinds/member-roles.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { SignedInAs } from '../../session/signed-in-as.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { t } from '../../texts.ts'
import type { MyApp } from './access.ts'

const { name_max } = decisions.restricted_secrets
const { secret_days } = decisions.terminals
const challenge_format = /^[A-Za-z0-9_-]{43}$/

/** The request of a terminal. */
interface Request {
  port: number
  state: string
  code_challenge: string
  /** The name that the machine gave. */
  name: string
}

function readRequest({ port = '', state = '', code_challenge = '', name = '' }: Record<string, string | undefined>) {
  const is_port = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535
  if (!is_port || state === '' || !challenge_format.test(code_challenge)) return undefined
  return { port: Number(port), state, code_challenge, name: name.trim().slice(0, name_max) || 'plaza' }
}

/** The address on which the terminal listens. Responses go only to this machine. */
const addressOf = ({ port, state }: Request, answer: Record<string, string>) =>
  `http://127.0.0.1:${port}/?${new URLSearchParams({ ...answer, state }).toString()}`

/** The page that `plaza login` opens (D-157): a person gives the terminal a key for one of their apps. */
export default function Cli() {
  const request = readRequest(useSearch({ from: '/cli' }))
  const [way_back, setWayBack] = useState<string>()
  const apps = useApiQuery(listMyApps, {})
  if (!request)
    return (
      <CardPage title={t('build.cli.not-complete')} about={t('build.cli.run-login-again')}>
        <SignedInAs />
      </CardPage>
    )
  const back = (answer: Record<string, string>) => {
    const address = addressOf(request, answer)
    setWayBack(address)
    // Replaces the history entry: "back" would send the code again.
    location.replace(address)
  }
  if (way_back !== undefined) return <BackToTerminal address={way_back} />
  return (
    <QueryResult query={apps}>
      {(all) => {
        const usable = all.filter(({ role }) => includesRole(role, 'developer'))
        return usable.length === 0 ? <NoApp /> : <Choice request={request} apps={usable} onAnswer={back} />
      }}
    </QueryResult>
  )
}

const NoApp = () => (
  <CardPage title={t('build.apps.you-have-no-app-yet')} about={t('build.cli.register-first')}>
    <SignedInAs />
    <LinkButton to="/apps/new">{t('common.register-your-first-app')}</LinkButton>
  </CardPage>
)

interface ChoiceProps {
  request: Request
  apps: MyApp[]
  onAnswer: (answer: Record<string, string>) => void
}

function Choice({ request, apps, onAnswer }: ChoiceProps) {
  const { code_challenge, name } = request
  const [id, setId] = useState(apps[0]?.id ?? '')
  const app = apps.find((each) => each.id === id)
  const making = useApiMutation(createCliCode, { onDone: ({ code }) => onAnswer({ code }) })
  if (!app) return null
  return (
    <CardPage
      title={t('build.cli.connect-a-terminal')}
      about={<RichText k="build.cli.asks-for-a-key" machine={<strong className="user-content">{name}</strong>} />}
    >
      <SignedInAs />
      <NativeSelect
        label={t('common.app')}
        value={id}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
        data={apps.map(({ id: value, app_name, team_name }) => ({
          value,
          label: team_name === null ? app_name : `${app_name} · ${team_name}`,
        }))}
      />
      <Permissions app={app} />
      <Text size="sm" c="dimmed" mt="md">
        {t('build.cli.only-if-you-ran', { days: secret_days })}
      </Text>
      <FailureNote error={making.error} />
      <Group grow gap="sm" mt="lg">
        <Button variant="default" onClick={() => onAnswer({ error: 'access_denied' })}>
          {t('common.cancel')}
        </Button>
        <Button
          loading={making.isPending}
          onClick={() => making.mutate({ params: { id }, body: { code_challenge, name } })}
        >
          {t('build.cli.connect')}
        </Button>
      </Group>
    </CardPage>
  )
}

/** The calls that the key will permit, and why some of them will be refused. */
function Permissions({ app: { role, is_approved, allowed_scopes } }: { app: MyApp }) {
  const is_hosted = is_approved && allowed_scopes.includes('deploy:manage')
  return (
    <>
      <Text size="sm" fw={600} mt="md" mb="xs" id="permissions-title">
        {t('sign-in.consent.it-will-be-able-to')}
      </Text>
      <List aria-labelledby="permissions-title" spacing={8} icon={<Icon name="check" size={18} />}>
        <List.Item>{t('build.secret-form.deploy')}</List.Item>
        {includesRole(role, 'admin') && <List.Item>{t('build.secret-form.read-events')}</List.Item>}
        {includesRole(role, 'admin') && <List.Item>{t('build.secret-form.read-payments')}</List.Item>}
      </List>
      {!is_hosted && (
        <Alert mt="md" color="orange" icon={<Icon name="alert" />}>
          {is_approved ? t('build.cli.lacks-the-scope') : t('build.cli.not-approved')}
        </Alert>
      )}
    </>
  )
}

/** Stays visible if the terminal no longer listens. */
const BackToTerminal = ({ address }: { address: string }) => (
  <CardPage title={t('common.one-moment')} about={t('build.cli.back-to-the-terminal')}>
    <Button component="a" href={address}>
      {t('common.go-on')}
    </Button>
  </CardPage>
)
