import { Group, Stack, Switch, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { listMyApps } from '../../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../../api/hooks.ts'
import { LinkButton } from '../../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../../ui/page-parts.tsx'
import type { MyApp } from '../access.ts'
import { Authorize } from './authorize-step.tsx'
import { Choose } from './choose-step.tsx'
import { saveFlow, loadFlow, type Flow } from './flow.ts'
import { TokenSteps } from './token-steps.tsx'
import { t } from '../../../texts.ts'

/** The authorization code flow with PKCE for one of the user's apps, step by step, with every request and response. */
export default function Playground() {
  const query = useApiQuery(listMyApps, {})
  return (
    <>
      <PageHead title={t('common.playground')} about={t('build.playground.let-your-own-app-in-as')} />
      <QueryResult query={query}>{(apps) => (apps.length === 0 ? <NoApps /> : <Steps apps={apps} />)}</QueryResult>
    </>
  )
}

const NoApps = () => (
  <Section>
    <EmptyState icon="play" title={t('build.playground.the-playground-needs-an-app-of')}>
      <LinkButton to="/apps/new" size="sm" mt="xs">
        {t('common.register-an-app')}
      </LinkButton>
    </EmptyState>
  </Section>
)

function Steps({ apps }: { apps: MyApp[] }) {
  const { app: requested_id } = useSearch({ from: '/playground' })
  const [flow, setFlow] = useState<Flow | undefined>(loadFlow)
  const [reveal, setReveal] = useState(false)
  /** A changed flow invalidates the stored one; only the visit to the consent page stores it. */
  const change = (next: Flow | undefined) => {
    saveFlow(undefined)
    setFlow(next)
  }
  const chosen =
    apps.find(({ id }) => id === (flow?.app_id ?? requested_id)) ?? apps.find((app) => app.is_approved) ?? apps[0]!
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('build.playground.tokens-and-secrets-stay-in-the')}
        </Text>
        <Switch
          label={t('build.playground.show-secrets')}
          checked={reveal}
          onChange={({ currentTarget }) => setReveal(currentTarget.checked)}
        />
      </Group>
      <Choose apps={apps} chosen={chosen} flow={flow} onFlow={change} />
      <Authorize flow={flow} reveal={reveal} onFlow={change} />
      <TokenSteps key={flow?.response?.code ?? ''} flow={flow} reveal={reveal} />
    </Stack>
  )
}
