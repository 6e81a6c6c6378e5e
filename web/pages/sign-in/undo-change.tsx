import { List } from '@mantine/core'
import { useState } from 'react'
import { undoChange } from '../../../contract/account-upkeep.ts'
import { decisions } from '../../../contract/decisions.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { NewPasswordForm } from './new-password-form.tsx'
import { t } from '../../texts.ts'

const { password_min } = decisions.passwords
const { undo_days } = decisions.account_changes

export default function UndoChange() {
  const mailed = useMailedCode()
  const [done, setDone] = useState(false)
  if (done)
    return (
      <CardPage
        title={t('sign-in.undo-change.your-account-is-yours-again')}
        about={t('sign-in.undo-change.address-and-name-are-as-they')}
      >
        <LinkButton to="/sign-in">{t('common.sign-in')}</LinkButton>
      </CardPage>
    )
  return (
    <CardPage
      title={t('sign-in.undo-change.this-was-not-you')}
      about={t('sign-in.undo-change.take-the-change-of-your-account')}
    >
      <NewPasswordForm
        endpoint={undoChange}
        mailed={mailed}
        intro={
          <List size="sm" spacing={4}>
            <List.Item>{t('sign-in.undo-change.your-address-and-name-are-restored')}</List.Item>
            <List.Item>{t('sign-in.undo-change.everybody-is-signed-out-and-apps')}</List.Item>
            <List.Item>{t('sign-in.undo-change.a-second-factor-that-was-turned')}</List.Item>
          </List>
        }
        rule={t('sign-in.undo-change.at-least-characters-and-none-that', { password_min })}
        action={t('sign-in.undo-change.take-it-back')}
        wrongCode={() => t('sign-in.undo-change.this-code-is-wrong-was-used', { undo_days })}
        onDone={() => setDone(true)}
      />
    </CardPage>
  )
}
