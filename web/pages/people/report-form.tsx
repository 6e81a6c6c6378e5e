import { Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core'
import { createReport, listMyReports } from '../../../contract/moderation.ts'
import { report_reasons } from '../../../contract/moderation-fields.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { reason_names } from './report-reasons.ts'
import { t } from '../../texts.ts'

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
      notify(t('people.report-form.thank-you-an-admin-looks-at'))
      onClose()
    },
  })
  const title =
    'message_id' in about
      ? t('people.report-form.report-this-message-of', { username })
      : t('common.report', { username })
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
          <Radio.Group {...field('reason')} label={t('people.report-form.what-is-wrong')}>
            <Stack gap={6} mt={6}>
              {report_reasons.map((reason) => (
                <Radio key={reason} value={reason} label={reason_names()[reason]} />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            {...field('note')}
            label={t('people.report-form.what-should-the-admin-know')}
            description={t('people.report-form.optional-nobody-but-admins-reads-it')}
            autosize
            minRows={2}
            maxRows={8}
          />
          <Text size="sm" c="dimmed">
            {t('people.report-form.is-not-told-who-reported', { username })}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('common.report-2')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
