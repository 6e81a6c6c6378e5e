import { Button, Stack, Text, TextInput } from '@mantine/core'
import { confirmAddress } from '../../../contract/admin-users.ts'
import { isApiError } from '../../api/errors.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { useState } from 'react'

/** Where the link leads that proves the address of a person who lost the second factor. */
export default function ConfirmAddress() {
  const mailed = useMailedCode()
  const [message, setMessage] = useState<string>()
  const { form, field, props, busy, failure } = useContractForm(confirmAddress, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: (answer) => setMessage(answer.message),
    onError: (error) => {
      if (!isApiError(error, 'invalid_code')) return false
      form.setFieldError('code', `${error.message} Ask the admin for another mail.`)
      return true
    },
  })
  if (message !== undefined)
    return (
      <CardPage title="Your address is proved" about={message}>
        <Text size="sm">Tell the admin that you opened the link. A mail tells you when it is done.</Text>
      </CardPage>
    )
  return (
    <CardPage
      title="Prove that this address is yours"
      about="An admin was asked to take your second factor away. Confirm only if you asked for it yourself."
    >
      <form {...props}>
        <Stack>
          <FailureNote error={failure} />
          <TextInput {...field('code')} label="Code from the link in the mail" autoComplete="off" maxLength={64} />
          <Button type="submit" loading={busy}>
            I asked for it
          </Button>
          <Text size="sm" c="dimmed">
            If you did not, close this page and change your password: somebody may know it.
          </Text>
        </Stack>
      </form>
    </CardPage>
  )
}
