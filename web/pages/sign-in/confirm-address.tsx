import { Text, TextInput } from '@mantine/core'
import { confirmAddress } from '../../../contract/admin-users.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { useState } from 'react'
import { contractText, t } from '../../texts.ts'

/** The page of the mailed link for people who lost the second factor and prove their address. */
export default function ConfirmAddress() {
  const mailed = useMailedCode()
  const [message, setMessage] = useState<string>()
  const form = useContractForm(confirmAddress, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: (answer) => setMessage(contractText(answer.message)),
    refusals: {
      invalid_code: ({ message: wrong }) => ({
        code: t('sign-in.confirm-address.ask-the-admin-for-another-mail', { message: wrong }),
      }),
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
      <Form
        form={form}
        action={t('sign-in.confirm-address.i-asked-for-it')}
        button={{ flex: 1 }}
        note={
          <Text size="sm" c="dimmed">
            {t('sign-in.confirm-address.if-you-did-not-close-this')}
          </Text>
        }
      >
        <TextInput
          {...form.field('code')}
          label={t('sign-in.confirm-address.code-from-the-link-in-the')}
          autoComplete="off"
          maxLength={64}
        />
      </Form>
    </CardPage>
  )
}
