import { Button, Text } from '@mantine/core'
import { settings } from '../settings.ts'
import { Modal } from '../ui/dialog.tsx'
import { confirmSignOut } from '../ui/unsaved.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { endSession, useSession } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'
import { t } from '../texts.ts'

const AsPersonAgain = lazyComponent(() => import('../pages/sandbox/as-person-again.tsx'))

/** The dialog for an expired session: the same user signs in again, and the page keeps its state. */
export default function SignInAgain() {
  const { session, expired, ended_elsewhere } = useSession()
  if (!session) return null
  const leave = async () => {
    if (await confirmSignOut()) endSession()
  }
  const with_password = (
    <Modal opened={expired} onClose={() => {}} busy withCloseButton={false} title={t('common.sign-in-again')}>
      <Text size="sm" c="dimmed" mb="md">
        {ended_elsewhere
          ? t('session.sign-in-again.you-signed-out-in-another-tab')
          : t('session.sign-in-again.your-sign-in-is-over-nothing')}
      </Text>
      <SignInForm email={session.user.email} onDone={() => {}} />
      <Button variant="subtle" fullWidth mt="xs" onClick={() => void leave()}>
        {t('session.sign-in-again.sign-out-instead')}
      </Button>
    </Modal>
  )
  if (!settings.is_sandbox) return with_password
  return (
    <AsPersonAgain opened={expired} person={session.user}>
      {with_password}
    </AsPersonAgain>
  )
}
