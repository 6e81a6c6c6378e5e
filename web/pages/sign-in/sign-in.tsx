import { Text } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { nextTarget } from '../../session/next.ts'
import { useSession } from '../../session/session.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { AccountLinks } from './account-links.tsx'
import { t } from '../../texts.ts'

export default function SignIn() {
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })
  const { ended_elsewhere } = useSession()
  return (
    <CardPage title={t('common.sign-in')}>
      {ended_elsewhere && (
        <Text role="status" mb="md">
          {t('sign-in.sign-in.you-signed-out-in-another-tab')}
        </Text>
      )}
      <SignInForm auto_focus onDone={() => void router.navigate({ ...nextTarget(next), replace: true })} />
      <AccountLinks next={next} />
    </CardPage>
  )
}
