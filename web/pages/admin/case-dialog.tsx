import { Alert, Checkbox, Chip, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { adminGetCase, adminListCases, decideCase } from '../../../contract/admin-moderation.ts'
import { countPending, listAudit } from '../../../contract/admin.ts'
import type { CaseAction } from '../../../contract/moderation-fields.ts'
import { isApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { decisionText, hoursFromNow, momentText, mute_durations, personName, type Case } from './case-texts.ts'
import { DecisionButtons, ReasonField } from './decision-parts.tsx'

/** Reasons that are given again and again; one click writes them. */
const usual_reasons = {
  dismiss: ['This is not against the rules.', 'This is a disagreement that people can settle themselves.'],
  act: ['Advertising is not allowed here.', 'Insults are not allowed here.', 'This was said before, and not heeded.'],
}

type Choice = Exclude<CaseAction, 'dismiss'>

interface CaseDialogProps {
  found: Case
  action: CaseAction
  onDecided: () => void
  onClose: () => void
}

/** Asks what exactly to do and why, and decides the case. */
export function CaseDialog({ found, action, onDecided, onClose }: CaseDialogProps) {
  const refresh = useRefresh([adminListCases, adminGetCase, countPending, listAudit])
  const [choices, setChoices] = useState<Choice[]>(action === 'dismiss' ? [] : [action])
  const [hours, setHours] = useState<string>('24')
  const dismisses = action === 'dismiss'
  const actions: CaseAction[] = dismisses ? ['dismiss'] : choices
  const { form, field, props, busy, failure } = useContractForm(decideCase, {
    initial: { reason: '' },
    toInput: ({ reason }) => ({
      params: { id: found.id },
      body: { actions, reason, ...(actions.includes('mute') && { muted_until: hoursFromNow(hours) }) },
    }),
    onDone: () => {
      onDecided()
      refresh()
      notify(`Decided: ${decisionText(actions)}. Those who reported are told.`)
      onClose()
    },
  })
  const name = personName(found)
  const usual = dismisses ? usual_reasons.dismiss : usual_reasons.act
  const toggle = (choice: Choice) =>
    setChoices((all) => (all.includes(choice) ? all.filter((one) => one !== choice) : [...all, choice]))
  const choice = (value: Choice, label: string) => (
    <Checkbox label={label} checked={choices.includes(value)} onChange={() => toggle(value)} />
  )
  return (
    <Modal
      opened
      onClose={onClose}
      title={dismisses ? 'Dismiss these reports?' : `What is done about ${name}?`}
      dirty={form.isDirty()}
      busy={busy}
    >
      <form {...props}>
        <Stack>
          {dismisses ? (
            <Text size="sm">
              Nothing is done about {name}, who is not told. Those who reported hear that nothing has to be done.
            </Text>
          ) : (
            <Stack gap="xs">
              {found.message_id !== null && choice('remove_message', 'Remove the message: its place stays')}
              {choice('mute', 'Mute in chat: they can read, and not write')}
              {choices.includes('mute') && (
                <SegmentedControl
                  size="xs"
                  aria-label="How long"
                  value={hours}
                  onChange={setHours}
                  data={[...mute_durations]}
                />
              )}
              {choice('suspend', 'Suspend the account: all sessions end')}
            </Stack>
          )}
          <Outcome error={failure} />
          <ReasonField
            {...field('reason')}
            description={dismisses ? 'Kept in the audit log.' : `${name} reads it in a mail. Kept in the audit log.`}
            data-autofocus
          />
          <Group gap={6} role="group" aria-label="Usual reasons">
            {usual.map((reason) => (
              <Chip
                key={reason}
                size="xs"
                checked={form.values.reason === reason}
                onChange={() => form.setFieldValue('reason', reason)}
              >
                {reason}
              </Chip>
            ))}
          </Group>
          <DecisionButtons
            action={dismisses ? 'Dismiss' : 'Decide'}
            busy={busy}
            danger={!dismisses}
            disabled={actions.length === 0}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}

type Decided = Pick<Case, 'actions' | 'reason' | 'decided_by_username' | 'decided_at'>

/** The failure of a decision: what another admin decided meanwhile, or any other. */
function Outcome({ error }: { error: Error | undefined }) {
  const decision = isApiError(error, 'already_decided') ? (error.body.decision as Decided | undefined) : undefined
  if (!decision) return <FailureNote error={error} />
  return (
    <Alert role="alert" color="yellow" icon={<Icon name="alert" />} title="Already decided">
      <Text size="sm">
        {decision.decided_by_username ?? 'Another admin'} decided this on{' '}
        {decision.decided_at && momentText(decision.decided_at)}: {decisionText(decision.actions)}. Yours was not saved.
      </Text>
      <Text size="sm" className="user-content" mt={4}>
        {decision.reason}
      </Text>
    </Alert>
  )
}
