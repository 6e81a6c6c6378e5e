import { Radio, Stack, Text, Textarea } from '@mantine/core'
import { createReport, listMyReports } from '../../../contract/moderation.ts'
import { report_reasons } from '../../../contract/moderation-fields.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import type { Look } from '../../ui/person.tsx'
import { notify } from '../../ui/notify.tsx'
import { reason_names } from '../../ui/report-reasons.ts'
import { t } from '../../texts.ts'

export interface ReportDialogProps extends Look {
  about: { message_id: string } | { user_id: string }
  /** The text of the reported message. */
  quote?: string
  onClose: () => void
}

/** Reports a message, a person or a part of a person to the admins. */
export default function ReportForm({ about, quote, onClose, ...person }: ReportDialogProps) {
  const { username } = person
  const parts = 'user_id' in about ? partsOf(person) : []
  const form = useContractForm(createReport, {
    initial: { part: '', reason: '', note: '' },
    toInput: ({ part, ...body }) => ({ body: { ...body, ...about, ...(part && { part }) } }),
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
      {parts.length > 0 && (
        <Radio.Group {...form.field('part')} label={t('people.report-form.what-do-you-report')}>
          <Stack gap={6} mt={6}>
            <Radio value="" label={t('common.the-person')} />
            {parts.map(({ part, label }) => (
              <Radio key={part} value={part} label={label} classNames={{ label: 'user-content' }} />
            ))}
          </Stack>
        </Radio.Group>
      )}
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

/** The parts of a profile that can be reported separately. */
const partsOf = ({ display_name, picture_url }: Look) => [
  ...(display_name
    ? [{ part: 'display_name', label: t('people.report-form.the-display-name', { name: display_name }) }]
    : []),
  ...(picture_url ? [{ part: 'picture', label: t('people.report-form.the-picture') }] : []),
]
