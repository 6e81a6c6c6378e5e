import {
  Button,
  Chip,
  Group,
  Kbd,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
  type TextareaProps,
} from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { KeyboardEvent, ReactNode } from 'react'
import type { confirmSecondFactorProof } from '../../../contract/admin-users.ts'
import type { Declaration } from '../../../contract/endpoint.ts'
import { callApi } from '../../api/call.ts'
import { invalidate, useDoublePressGuard } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'

function submitWithCtrlEnter({ key, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>) {
  if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit()
}

/** The field of a reason; Ctrl+Enter submits it. */
export const ReasonField = (props: TextareaProps) => (
  <Textarea label={t('common.reason')} autosize minRows={2} maxRows={10} {...props} onKeyDown={submitWithCtrlEnter} />
)

interface UsualReasonsProps {
  reasons: readonly string[]
  value: unknown
  onChoose: (reason: string) => void
}

/** Frequent reasons; a click fills one in. */
export const UsualReasons = ({ reasons, value, onChoose }: UsualReasonsProps) => (
  <Group gap={6} role="group" aria-label={t('admin.decision-dialogs.usual-reasons')}>
    {reasons.map((reason) => (
      <Chip key={reason} size="xs" checked={value === reason} onChange={() => onChoose(reason)}>
        {reason}
      </Chip>
    ))}
  </Group>
)

/** The durations of a mute, in hours. */
export const MuteDuration = ({ value, onChange }: { value: string; onChange: (hours: string) => void }) => (
  <SegmentedControl
    size="xs"
    aria-label={t('common.how-long')}
    value={value}
    onChange={onChange}
    data={[
      { value: '1', label: t('admin.case-texts.1-hour') },
      { value: '24', label: t('admin.case-texts.1-day') },
      { value: '168', label: t('admin.case-texts.1-week') },
      { value: '720', label: t('common.30-days') },
    ]}
  />
)

/** The keys that decide. */
export const CtrlEnter = () => (
  <>
    <Kbd size="xs">{t('ui.shortcuts-dialog.ctrl')}</Kbd> + <Kbd size="xs">{t('ui.shortcuts-dialog.enter')}</Kbd>
  </>
)

interface DecisionProps {
  title: ReactNode
  /** The consequences. */
  children: ReactNode
  /** The label of the button: a verb. */
  action: string
  /** The reads to repeat after the decision. */
  invalidates: readonly Declaration[]
  /** The notification after success. */
  done: ReactNode
  onDone?: () => void
  onClose: () => void
}

interface ReasonDialogProps extends DecisionProps {
  /** An endpoint with an id in its path and a reason in its body. */
  endpoint: Declaration
  id: string
  /** The rest of the body. */
  body?: () => Record<string, unknown>
  /** Also asks for a code that the person has read out. */
  with_code?: boolean
  /** Says who reads the reason; by default the audit log stores it. */
  hint?: string
  /** Shown for an empty reason; without it, if there is a `hint`, the contract decides whether it may be empty. */
  missing?: string
  usual_reasons?: readonly string[]
  danger?: boolean
  /** Runs right before the decision; if it rejects, its error is shown and nothing is decided. */
  check?: () => Promise<void>
}

/** Asks for a reason, then sends the decision. */
export function ReasonDialog(dialog: ReasonDialogProps) {
  const { endpoint, id, body: more, with_code = false, check, danger = false, usual_reasons = [] } = dialog
  const { hint, missing = hint === undefined ? t('common.write-why-the-audit-log-keeps') : undefined } = dialog
  const { title, children, action, done, onDone, invalidates, onClose } = dialog
  const form = useContractForm(endpoint as typeof confirmSecondFactorProof, {
    initial: { reason: '', ...(with_code && { code: '' }) },
    validators: { reason: (value) => (String(value).trim() === '' ? missing : undefined) },
    toInput: (body) => ({ params: { id }, body: { ...body, ...more?.() } }),
    call: async (...input) => {
      await check?.()
      return callApi(...input)
    },
    done: () => done,
    onDone: () => {
      onDone?.()
      onClose()
    },
    invalidates,
  })
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={title}
      intro={
        <Text component="div" size="sm">
          {children}
        </Text>
      }
      action={action}
      {...(danger && { button: { color: 'red' } })}
      keys={<CtrlEnter />}
    >
      {with_code && (
        <TextInput
          {...form.field('code')}
          label={t('common.code-from-the-mail')}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
        />
      )}
      <ReasonField
        {...form.field('reason')}
        description={hint ?? t('common.kept-in-the-audit-log')}
        {...(!with_code && { 'data-autofocus': true })}
      />
      {usual_reasons.length > 0 && (
        <UsualReasons
          reasons={usual_reasons}
          value={form.form.values.reason}
          onChoose={(reason) => form.form.setFieldValue('reason', reason)}
        />
      )}
    </FormDialog>
  )
}

/** Confirms an approval. The approve button has the focus, so that Enter confirms. */
export function ApproveDialog(dialog: DecisionProps & { approve: () => Promise<unknown> }) {
  const { title, children, action, approve, done, onDone, invalidates, onClose } = dialog
  const { guarded, release } = useDoublePressGuard<void>()
  const onSuccess = () => {
    onDone?.()
    notify(done)
    onClose()
    void invalidate(invalidates)
  }
  const call = guarded(useMutation({ mutationFn: approve, onSuccess, onSettled: () => release() }))
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        <Text component="div" size="sm">
          {children}
        </Text>
        <FailureNote error={call.error} />
        <Group gap="xs" justify="flex-end">
          <Text size="xs" c="dimmed" visibleFrom="sm" mr="auto">
            <Kbd size="xs">{t('ui.shortcuts-dialog.enter')}</Kbd>
          </Text>
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={call.isPending} onClick={() => call.mutate()} data-autofocus>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
