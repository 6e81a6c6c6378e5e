import { Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { markAppSeen, updateUser } from '../../../contract/admin.ts'
import type { setChatMute } from '../../../contract/admin-moderation.ts'
import type {
  adminEndSessions,
  adminSendVerification,
  confirmSecondFactorProof,
  removeSecondFactor,
  startSecondFactorProof,
} from '../../../contract/admin-users.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { DecisionButtons, ReasonField } from './decision-parts.tsx'
import { t } from '../../texts.ts'

type ReasonedEndpoint =
  | typeof updateUser
  | typeof markAppSeen
  | typeof setChatMute
  | typeof adminEndSessions
  | typeof adminSendVerification
  | typeof startSecondFactorProof
  | typeof confirmSecondFactorProof
  | typeof removeSecondFactor

interface ReasonFormProps {
  endpoint: ReasonedEndpoint
  id: string
  title: ReactNode
  /** The consequences. */
  children: ReactNode
  /** What is sent beside the reason. */
  body?: () => Record<string, unknown>
  /** Asks for a code that the person told, too. */
  with_code?: boolean
  hint?: string
  action: string
  danger?: boolean
  onDone: () => void
  onClose: () => void
}

const required = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? t('common.write-why-the-audit-log-keeps') : undefined

/** Asks for the reason of an action, which it cannot go without, and acts. */
export function ReasonForm(dialog: ReasonFormProps) {
  const {
    endpoint,
    id,
    title,
    children,
    body: more,
    with_code = false,
    hint,
    action,
    danger = false,
    onDone,
    onClose,
  } = dialog
  const { form, field, props, busy, failure } = useContractForm(endpoint as typeof confirmSecondFactorProof, {
    initial: { reason: '', ...(with_code && { code: '' }) },
    validators: { reason: required },
    toInput: (body) => ({ params: { id }, body: { ...body, ...more?.() } }),
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
          {with_code && (
            <TextInput
              {...field('code')}
              label={t('common.code-from-the-mail')}
              inputMode="numeric"
              autoComplete="off"
              data-autofocus
            />
          )}
          <ReasonField
            {...field('reason')}
            description={hint ?? t('common.kept-in-the-audit-log')}
            {...(!with_code && { 'data-autofocus': true })}
          />
          <DecisionButtons action={action} busy={busy} danger={danger} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}
