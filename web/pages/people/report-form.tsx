import { Radio, Stack, Text, Textarea } from '@mantine/core'
import { createReport, listMyReports } from '../../../contract/moderation.ts'
import { report_reasons } from '../../../contract/moderation-fields.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
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
  const form = useContractForm(createReport, {
    initial: { reason: '', note: '' },
    toInput: (body) => ({ body: { ...body, ...about } }),
    onDone: () => {
      notify(t('people.report-form.thank-you-an-admin-looks-at'))
      onClose()
    },
    invalidates: [listMyReports],
  })
  const title =
    'message_id' in about
      ? t('people.report-form.report-this-message-of', { username })
      : t('common.report', { username })
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={title}
      action={t('common.report-2')}
      intro={
        quote !== undefined && (
          <Text component="blockquote" m={0} size="sm" lineClamp={4} className="user-content" dir="auto">
            {quote}
          </Text>
        )
      }
    >
      <Radio.Group {...form.field('reason')} label={t('people.report-form.what-is-wrong')}>
        <Stack gap={6} mt={6}>
          {report_reasons.map((reason) => (
            <Radio key={reason} value={reason} label={reason_names()[reason]} />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        {...form.field('note')}
        label={t('people.report-form.what-should-the-admin-know')}
        description={t('people.report-form.optional-nobody-but-admins-reads-it')}
        autosize
        minRows={2}
        maxRows={8}
      />
      <Text size="sm" c="dimmed">
        {t('people.report-form.is-not-told-who-reported', { username })}
      </Text>
    </FormDialog>
  )
}
