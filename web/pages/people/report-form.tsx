import { Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core'
import { createReport, listMyReports } from '../../../contract/moderation.ts'
import { report_reasons } from '../../../contract/moderation-fields.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { reason_names } from './report-reasons.ts'

export interface ReportDialogProps {
  about: { message_id: string } | { user_id: string }
  username: string
  /** The text of the message that is reported. */
  quote?: string
  onClose: () => void
}

/** Reports a message or a person to the admins. */
export default function ReportForm({ about, username, quote, onClose }: ReportDialogProps) {
  const refresh = useRefresh([listMyReports])
  const { form, field, props, busy, failure } = useContractForm(createReport, {
    initial: { reason: '', note: '' },
    toInput: (body) => ({ body: { ...body, ...about } }),
    onDone: () => {
      refresh()
      notify('Thank you. An admin looks at it, and you get a mail about what came of it.')
      onClose()
    },
  })
  const title = 'message_id' in about ? `Report this message of ${username}` : `Report ${username}`
  return (
    <Modal opened onClose={onClose} title={title} dirty={form.isDirty()} busy={busy}>
      <form {...props}>
        <Stack>
          {quote !== undefined && (
            <Text component="blockquote" m={0} size="sm" lineClamp={4} className="user-content" dir="auto">
              {quote}
            </Text>
          )}
          <FailureNote error={failure} />
          <Radio.Group {...field('reason')} label="What is wrong?">
            <Stack gap={6} mt={6}>
              {report_reasons.map((reason) => (
                <Radio key={reason} value={reason} label={reason_names[reason]} />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            {...field('note')}
            label="What should the admin know?"
            description="Optional. Nobody but admins reads it."
            autosize
            minRows={2}
            maxRows={8}
          />
          <Text size="sm" c="dimmed">
            {username} is not told who reported.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Report
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
