import { Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { resetPassword } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { nextSearch } from '../../session/next.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { NewPasswordForm } from './new-password-form.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { password_min } = decisions.passwords
const { recent_days } = decisions.account_recovery

export default function ResetPassword() {
  const mailed = useMailedCode()
  const search = nextSearch(useSearch({ from: '/reset-password' }).next)
  const [done, setDone] = useState(false)
  if (done)
    return (
      <CardPage
        title={t('sign-in.reset-password.your-new-password-is-set')}
        about={t('sign-in.reset-password.every-device-was-signed-out-and', { recent_days })}
      >
        <LinkButton to="/sign-in" search={search}>
          {t('common.sign-in')}
        </LinkButton>
      </CardPage>
    )
  return (
    <CardPage
      title={t('common.set-a-new-password')}
      about={mailed ? t('sign-in.reset-password.the-code-from-the-link-is') : undefined}
    >
      <NewPasswordForm
        endpoint={resetPassword}
        mailed={mailed}
        rule={t('sign-in.reset-password.at-least-characters', { password_min })}
        action={t('sign-in.reset-password.set-the-password')}
        wrongCode={({ message }) => message}
        onDone={() => setDone(true)}
      />
      <Text size="sm" mt="lg">
        <RichText
          k="sign-in.reset-password.no-code-or-one-that-is"
          link={(part) => (
            <Link to="/forgot-password" search={search}>
              {part}
            </Link>
          )}
        />
      </Text>
    </CardPage>
  )
}
