import { Alert, Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { adminGetCase, adminListCases, decideCase } from '../../../contract/admin-moderation.ts'
import { countPending } from '../../../contract/admin.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import type { CaseAction } from '../../../contract/moderation-fields.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { decisionText, hoursFromNow, momentText, personName, removalsOf, type Case } from './case-texts.ts'
import { CtrlEnter, MuteDuration, ReasonField, UsualReasons } from './decision-dialogs.tsx'
import { t } from '../../texts.ts'

const usual_reasons = () => ({
  dismiss: [
    t('admin.case-dialog.this-is-not-against-the-rules'),
    t('admin.case-dialog.this-is-a-disagreement-that-people'),
  ],
  act: [
    t('admin.case-dialog.advertising-is-not-allowed-here'),
    t('admin.case-dialog.insults-are-not-allowed-here'),
    t('admin.case-dialog.this-was-said-before-and-not'),
  ],
})

const removal_labels = () => ({
  remove_message: t('admin.case-dialog.remove-the-message-its-place-stays'),
  remove_display_name: t('admin.case-dialog.remove-the-display-name'),
  remove_picture: t('admin.case-dialog.remove-the-picture'),
})

type Choice = Exclude<CaseAction, 'dismiss'>

interface CaseDialogProps {
  found: Case
  /** The actions selected at first. */
  preset: readonly CaseAction[]
  onDecided: () => void
  onClose: () => void
}

/** Asks for the exact actions and the reason, and decides the case. */
export function CaseDialog({ found, preset, onDecided, onClose }: CaseDialogProps) {
  const [choices, setChoices] = useState(() => preset.filter((action) => action !== 'dismiss'))
  const [hours, setHours] = useState<string>('24')
  const dismisses = preset.includes('dismiss')
  const actions: CaseAction[] = dismisses ? ['dismiss'] : choices
  const form = useContractForm(decideCase, {
    initial: { reason: '' },
    toInput: ({ reason }) => ({
      params: { id: found.id },
      body: { actions, reason, ...(actions.includes('mute') && { muted_until: hoursFromNow(hours) }) },
    }),
    done: () => t('admin.case-dialog.decided-those-who-reported-are-told', { actions: decisionText(actions) }),
    onDone: () => {
      onDecided()
      onClose()
    },
    invalidates: [adminListCases, adminGetCase, countPending, listAudit],
  })
  const name = personName(found)
  const usual = dismisses ? usual_reasons().dismiss : usual_reasons().act
  const toggle = (choice: Choice) =>
    setChoices((all) => (all.includes(choice) ? all.filter((one) => one !== choice) : [...all, choice]))
  const choice = (value: Choice, label: string) => (
    <Checkbox key={value} label={label} checked={choices.includes(value)} onChange={() => toggle(value)} />
  )
  return (
    <FormDialog
      form={{ ...form, failure: undefined }}
      onClose={onClose}
      title={
        dismisses ? t('admin.case-dialog.dismiss-these-reports') : t('admin.case-dialog.what-is-done-about', { name })
      }
      action={dismisses ? t('admin.case-dialog.dismiss') : t('common.decide')}
      button={{ disabled: actions.length === 0, ...(!dismisses && { color: 'red' }) }}
      keys={<CtrlEnter />}
    >
      {dismisses ? (
        <Text size="sm">{t('admin.case-dialog.nothing-is-done-about-who-is', { name })}</Text>
      ) : (
        <Stack gap="xs">
          {removalsOf(found).map(({ action }) => choice(action, removal_labels()[action]))}
          {choice('mute', t('admin.case-dialog.mute-in-chat-they-can-read'))}
          {choices.includes('mute') && <MuteDuration value={hours} onChange={setHours} />}
          {choice('suspend', t('admin.case-dialog.suspend-the-account-all-sessions-end'))}
        </Stack>
      )}
      <Outcome error={form.failure} />
      <ReasonField
        {...form.field('reason')}
        description={t('admin.case-dialog.who-reads-the-reason', { dismisses, name })}
        data-autofocus
      />
      <UsualReasons
        reasons={usual}
        value={form.form.values.reason}
        onChoose={(reason) => form.form.setFieldValue('reason', reason)}
      />
    </FormDialog>
  )
}

type Decided = Pick<Case, 'actions' | 'reason' | 'decided_by_username' | 'decided_at'>

/** The failure of a decision: another admin's decision in the meantime, or any other. */
function Outcome({ error }: { error: Error | undefined }) {
  const decision = isApiError(error, 'already_decided') ? (error.body.decision as Decided | undefined) : undefined
  if (!decision) return <FailureNote error={error} />
  return (
    <Alert role="alert" color="yellow" icon={<Icon name="alert" />} title={t('common.already-decided')}>
      <Text size="sm">
        {t('admin.case-dialog.decided-this-on-yours-was-not', {
          decided_by_username: decision.decided_by_username ?? t('admin.case-dialog.another-admin'),
          decided_at: momentText(decision.decided_at ?? ''),
          actions: decisionText(decision.actions),
        })}
      </Text>
      <Text size="sm" className="user-content" mt={4}>
        {decision.reason}
      </Text>
    </Alert>
  )
}
