import { Text, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { forgotPassword } from '../../../contract/accounts.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { nextSearch } from '../../session/next.ts'
import { settings } from '../../settings.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function ForgotPassword() {
  const search = nextSearch(useSearch({ from: '/forgot-password' }).next)
  const [sent_to, setSentTo] = useState<string>()
  const form = useContractForm(forgotPassword, {
    ignore_unsaved: true,
    initial: { email: '' },
    onDone: (_answer, { email }) => setSentTo(email),
  })
  if (sent_to !== undefined)
    return (
      <CardPage
        title={t('sign-in.forgot-password.check-your-mail')}
        about={
          <RichText
            k="sign-in.forgot-password.if-an-account-has-the-address"
            strong={<strong className="user-content">{sent_to}</strong>}
            is_mail_sent={Boolean(settings.is_mail_sent)}
          />
        }
      >
        <LinkButton to="/reset-password" search={search} variant="default">
          {t('sign-in.forgot-password.type-the-code-by-hand')}
        </LinkButton>
        <Text size="sm" mt="lg">
          <RichText
            k="sign-in.forgot-password.have-you-set-your-new-password"
            link={(part) => (
              <Link to="/sign-in" search={search}>
                {part}
              </Link>
            )}
          />
        </Text>
      </CardPage>
    )
  return (
    <CardPage title={t('common.forgot-your-password')} about={t('sign-in.forgot-password.we-mail-you-a-link-with')}>
      <Form form={form} action={t('sign-in.forgot-password.send-the-mail')} button={{ flex: 1 }}>
        <TextInput
          {...form.field('email')}
          label={t('sign-in.forgot-password.e-mail-address-of-your-account')}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
        />
      </Form>
      <Text size="sm" mt="lg">
        <Link to="/sign-in" search={search}>
          {t('sign-in.forgot-password.back-to-the-sign-in')}
        </Link>
      </Text>
    </CardPage>
  )
}
