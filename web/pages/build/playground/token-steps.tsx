import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Declaration } from '../../../../contract/endpoint.ts'
import { listMyApps } from '../../../../contract/oauth-apps.ts'
import { revoke, token, verifyToken } from '../../../../contract/oauth.ts'
import type { AnswerOf } from '../../../api/call.ts'
import { useApiQuery } from '../../../api/hooks.ts'
import { CallForm } from './call-form.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { saveFlow, type Flow } from './flow.ts'
import { Step } from './step.tsx'
import { requestOf, send, type CallInput, type Exchange } from './exchange.ts'
import { tab_storage } from '../../../storage.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

type Tokens = AnswerOf<typeof token>
type Part = 'exchange' | 'call' | 'keep'
/** Exchanges shown per step. */
const exchanges_max = 10

/** The exchanges of each step, newest first. */
function useExchanges() {
  const [exchanges, setExchanges] = useState<Record<Part, Exchange[]>>({ exchange: [], call: [], keep: [] })
  const [busy, setBusy] = useState(false)
  const put = (part: Part, exchange: Exchange) =>
    setExchanges((before) => ({
      ...before,
      [part]: [exchange, ...before[part].filter(({ id }) => id !== exchange.id)].slice(0, exchanges_max),
    }))
  async function run<Json>(part: Part, endpoint: Declaration, input: CallInput): Promise<Json | undefined> {
    const request = requestOf(endpoint, input)
    put(part, request)
    setBusy(true)
    const { exchange, json } = await send(request)
    put(part, exchange)
    setBusy(false)
    return json as Json | undefined
  }
  return { exchanges, busy, run }
}

/** Steps 4 to 6: exchange the code, call the API, refresh and revoke the tokens. */
export function TokenSteps({ flow, reveal }: { flow: Flow | undefined; reveal: boolean }) {
  const app = useApiQuery(listMyApps, {}).data?.find(({ id }) => id === flow?.app_id)
  const { exchanges, busy, run } = useExchanges()
  const [tokens, setTokens] = useState<Tokens>()
  const [client_secret, setSecret] = useState('')
  const shown = (part: Part) =>
    exchanges[part].map((exchange) => <ExchangeView key={exchange.id} exchange={exchange} reveal={reveal} />)
  const code = flow?.response?.code
  const client = { client_id: flow?.client_id, ...(client_secret !== '' && { client_secret }) }

  const exchange = async () => {
    if (!flow) return
    const { redirect_uri, verifier } = flow
    const body = { grant_type: 'authorization_code', ...client, redirect_uri, code, code_verifier: verifier }
    const issued = await run<Tokens>('exchange', token, { title: t('build.token-steps.exchange-the-code'), body })
    saveFlow(undefined)
    if (issued) setTokens(issued)
  }
  const refresh = async () => {
    const body = { grant_type: 'refresh_token', ...client, refresh_token: tokens?.refresh_token }
    const issued = await run<Tokens>('keep', token, { title: t('common.refresh'), body })
    if (issued) setTokens(issued)
  }
  return (
    <>
      <Step
        number={4}
        title={t('build.token-steps.exchange-the-code-for-tokens')}
        about={t('build.token-steps.the-apps-server-sends-code-and')}
        done={tokens !== undefined}
        blocked_by={code === undefined ? t('build.token-steps.comes-after-step-3-has-brought') : undefined}
      >
        <Group align="flex-end" gap="xs">
          <SecretInput value={client_secret} onChange={setSecret} />
          <Button onClick={() => void exchange()} loading={busy}>
            {t('build.token-steps.exchange-the-code')}
          </Button>
        </Group>
        {shown('exchange')}
      </Step>
      <Step
        number={5}
        title={t('build.token-steps.call-plaza-for-the-user')}
        about={t('build.token-steps.every-call-carries-the-access-token')}
        done={exchanges.call.some(({ status }) => status === 200)}
        blocked_by={tokens ? undefined : t('build.token-steps.comes-after-step-4-has-brought')}
      >
        {tokens && <ToReference access_token={tokens.access_token} />}
        <CallForm
          app={app}
          granted={tokens?.scope.split(' ') ?? []}
          busy={busy}
          onSend={async (endpoint, input) => {
            const sent = { ...input, ...(tokens && { token: tokens.access_token }) }
            return (await run('call', endpoint, sent)) !== undefined
          }}
        />
        {shown('call')}
      </Step>
      <Step
        number={6}
        title={t('build.token-steps.refresh-look-at-and-revoke-tokens')}
        about={t('build.token-steps.refreshing-needs-the-client-secret-and')}
        blocked_by={tokens ? undefined : t('build.token-steps.comes-after-step-4-has-brought')}
      >
        {tokens && (
          <Stack gap="sm">
            <SecretInput value={client_secret} onChange={setSecret} />
            <LaterCalls tokens={tokens} client={client} busy={busy} run={run} onRefresh={() => void refresh()} />
          </Stack>
        )}
        {shown('keep')}
      </Step>
    </>
  )
}

/** The forms of the reference read the token from here (web/docs/credentials.ts). */
const reference_token_key = 'plaza.docs.token'

const ToReference = ({ access_token }: { access_token: string }) => (
  <Text size="sm" c="dimmed">
    <RichText
      k="build.token-steps.every-other-call-can-be-tried"
      link={(part) => (
        <a href="/docs/reference/points" onClick={() => tab_storage.set(reference_token_key, access_token)}>
          {part}
        </a>
      )}
    />
  </Text>
)

interface LaterCallsProps {
  tokens: Tokens
  client: Record<string, unknown>
  busy: boolean
  run: ReturnType<typeof useExchanges>['run']
  onRefresh: () => void
}

function LaterCalls({ tokens, client, busy, run, onRefresh }: LaterCallsProps) {
  const { access_token, refresh_token } = tokens
  const calls = [
    { title: t('build.token-steps.introspect'), endpoint: verifyToken, body: { token: access_token } },
    {
      title: t('build.token-steps.revoke-the-access-token'),
      endpoint: revoke,
      body: { ...client, token: access_token },
    },
    {
      title: t('build.token-steps.revoke-the-refresh-token'),
      endpoint: revoke,
      body: { ...client, token: refresh_token },
    },
  ]
  return (
    <Group gap="xs">
      <Button variant="default" onClick={onRefresh} disabled={busy}>
        {t('common.refresh')}
      </Button>
      {calls.map(({ title, endpoint, body }) => (
        <Button
          key={title}
          variant="default"
          disabled={busy}
          onClick={() => void run('keep', endpoint, { title, body })}
        >
          {title}
        </Button>
      ))}
    </Group>
  )
}

const SecretInput = ({ value, onChange }: { value: string; onChange: (secret: string) => void }) => (
  <PasswordInput
    flex={1}
    miw={220}
    maw={420}
    label={t('common.client-secret')}
    description={t('build.token-steps.optional-with-a-verifier-stays-in')}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    autoComplete="off"
    visibilityToggleButtonProps={{ 'aria-label': t('build.token-steps.show-the-client-secret') }}
  />
)
