import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import {
  destroyDeployment,
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeployments,
  restartDeployment,
  stopDeployment,
} from '../../../contract/deployments.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { ConfirmCall } from '../../ui/confirm-call.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { asApp } from '../build/access.ts'
import { disabledReason, type Deployment } from './labels.ts'
import { t } from '../../texts.ts'

const { kept_days } = decisions.subdomains
const { kept_after_destroy_days } = decisions.container_output
const invalidates = [getDeployment, getDeploymentStatus, listDeployLog, listDeployments]

/** Restart, stop and destroy. A disabled button has a text that explains it. */
export function Operations({ app_id, deployment }: { app_id: string; deployment: Deployment }) {
  const [confirming, setConfirming] = useState<'stop' | 'destroy'>()
  const params = { id: deployment.id }
  const shared = { as: asApp(app_id), invalidates }
  const restart = useApiMutation(restartDeployment, {
    ...shared,
    onDone: () => notify(t('deployments.operations.restart-requested')),
  })
  const id = useId()
  const reasons = (['restart', 'stop'] as const).flatMap((operation) => {
    const reason = disabledReason(operation, deployment)
    return reason === undefined ? [] : [{ operation, reason }]
  })
  const buttonState = (operation: 'restart' | 'stop') =>
    reasons.some((each) => each.operation === operation)
      ? { disabled: true, 'aria-describedby': `${id}-${operation}` }
      : {}
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button onClick={() => restart.mutate({ params })} loading={restart.isPending} {...buttonState('restart')}>
          {t('common.restart')}
        </Button>
        <Button variant="default" onClick={() => setConfirming('stop')} {...buttonState('stop')}>
          {t('common.stop')}
        </Button>
        <Button variant="light" color="red" onClick={() => setConfirming('destroy')}>
          {t('common.destroy')}
        </Button>
      </Group>
      {reasons.map(({ operation, reason }) => (
        <Text key={operation} id={`${id}-${operation}`} size="sm" c="dimmed">
          {reason}
        </Text>
      ))}
      <FailureNote error={restart.error} />
      <ConfirmCall
        {...shared}
        opened={confirming === 'stop'}
        endpoint={stopDeployment}
        input={{ params }}
        done={({ status }) =>
          status === 'stopped' ? t('deployments.operations.stopped') : t('deployments.operations.stop-requested')
        }
        onClose={() => setConfirming(undefined)}
        title={t('deployments.operations.stop-2', { subdomain: deployment.subdomain })}
        action={t('common.stop')}
      >
        {t('deployments.operations.its-address-answers-with-an-error')}
      </ConfirmCall>
      <DestroyDialog
        app_id={app_id}
        deployment={deployment}
        opened={confirming === 'destroy'}
        onClose={() => setConfirming(undefined)}
      />
    </Stack>
  )
}

interface DestroyDialogProps {
  app_id: string
  deployment: Deployment
  opened: boolean
  onClose: () => void
}

function DestroyDialog({ app_id, deployment, opened, onClose }: DestroyDialogProps) {
  const router = useRouter()
  const [typed, setTyped] = useState('')
  const [mismatch, setMismatch] = useState(false)
  const { subdomain } = deployment
  const destroy = useApiMutation(destroyDeployment, {
    as: asApp(app_id),
    invalidates: [listDeployments],
    onDone: ({ message }) => {
      // Says whether it is gone or still being removed.
      notify(message)
      void router.navigate({ to: '/deployments', search: { app: app_id } })
    },
  })
  const close = () => {
    setTyped('')
    setMismatch(false)
    onClose()
  }
  const confirm = () => {
    if (typed === subdomain) destroy.mutate({ params: { id: deployment.id } })
    else setMismatch(true)
  }
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('deployments.operations.destroy-for-good', { subdomain })}
      action={t('common.destroy')}
      onConfirm={confirm}
      busy={destroy.isPending}
      error={destroy.error}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t('deployments.operations.the-container-what-it-wrote-to', { kept_after_destroy_days, kept_days })}
        </Text>
        <TextInput
          label={t('deployments.operations.type-to-confirm', { subdomain })}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value)
            setMismatch(false)
          }}
          onKeyDown={({ key }) => key === 'Enter' && confirm()}
          error={mismatch ? t('deployments.operations.this-is-not-the-name') : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Stack>
    </Confirm>
  )
}
