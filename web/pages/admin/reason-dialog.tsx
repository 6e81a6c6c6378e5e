import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { denyScopeRequest, rejectApp } from '../../../contract/admin.ts'
import type {
  adminRollBackDeployment,
  reactivateDeployment,
  suspendDeployment,
} from '../../../contract/admin-deployments.ts'
import { callApi } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { DecisionButtons, ReasonField } from './decision-parts.tsx'

type ReasonEndpoint =
  | typeof rejectApp
  | typeof denyScopeRequest
  | typeof suspendDeployment
  | typeof reactivateDeployment
  | typeof adminRollBackDeployment

interface ReasonDialogProps {
  endpoint: ReasonEndpoint
  id: string
  title: ReactNode
  /** The consequences. */
  children: ReactNode
  hint: string
  action: string
  danger?: boolean
  /** What is sent beside the reason. */
  with_body?: Record<string, unknown>
  /** Runs right before the decision; when it rejects, its error is shown and nothing is decided. */
  check?: () => Promise<void>
  onDone: () => void
  onClose: () => void
}

/** Asks for a reason, then sends the decision. */
export function ReasonDialog(dialog: ReasonDialogProps) {
  const { endpoint, id, title, children, hint, action, danger = false, with_body, check, onDone, onClose } = dialog
  const { form, field, props, busy, failure } = useContractForm(endpoint, {
    initial: { reason: '' },
    toInput: (body) => ({ params: { id }, body: { ...with_body, ...body } }) as never,
    call: async (...input) => {
      await check?.()
      return callApi(...input)
    },
    onDone: () => {
      onDone()
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={title} dirty={form.isDirty()} busy={busy}>
      <form {...props}>
        <Stack>
          <Text component="div" size="sm">
            {children}
          </Text>
          <FailureNote error={failure} />
          <ReasonField {...field('reason')} description={hint} minRows={3} data-autofocus />
          <DecisionButtons action={action} busy={busy} danger={danger} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}
