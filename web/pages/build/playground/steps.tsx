import { Group, Stack, Switch, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { MyApp } from '../access.ts'
import { Authorize } from './authorize-step.tsx'
import { Choose } from './choose-step.tsx'
import { saveFlow, loadFlow, type Flow } from './flow.ts'
import { TokenSteps } from './token-steps.tsx'
import { t } from '../../../texts.ts'

/** The steps of the flow, for the chosen app. */
export default function Steps({ apps }: { apps: MyApp[] }) {
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
