import { Button, Stack, Text, TextInput } from '@mantine/core'
import { confirmAddress } from '../../../contract/admin-users.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { useState } from 'react'
import { contractText, t } from '../../texts.ts'

/** Where the link leads that proves the address of a person who lost the second factor. */
export default function ConfirmAddress() {
  const mailed = useMailedCode()
  const [message, setMessage] = useState<string>()
  const { form, field, props, busy, failure } = useContractForm(confirmAddress, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: (answer) => setMessage(contractText(answer.message)),
    onError: (error) => {
      if (!isApiError(error, 'invalid_code')) return false
      form.setFieldError(
        'code',
        t('sign-in.confirm-address.ask-the-admin-for-another-mail', { message: error.message }),
      )
      return true
    },
  })
  if (message !== undefined)
    return (
      <CardPage title={t('sign-in.confirm-address.your-address-is-proved')} about={message}>
        <Text size="sm">{t('sign-in.confirm-address.tell-the-admin-that-you-opened')}</Text>
      </CardPage>
    )
  return (
    <CardPage
      title={t('sign-in.confirm-address.prove-that-this-address-is-yours')}
      about={t('sign-in.confirm-address.an-admin-was-asked-to-take')}
    >
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          <TextInput
            {...field('code')}
            label={t('sign-in.confirm-address.code-from-the-link-in-the')}
            autoComplete="off"
            maxLength={64}
          />
          <Button type="submit" loading={busy}>
            {t('sign-in.confirm-address.i-asked-for-it')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('sign-in.confirm-address.if-you-did-not-close-this')}
          </Text>
        </Stack>
      </form>
    </CardPage>
  )
}
