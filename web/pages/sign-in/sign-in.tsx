import { useRouter, useSearch } from '@tanstack/react-router'
import { nextTarget } from '../../session/next.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { AccountLinks } from './account-links.tsx'
import { t } from '../../texts.ts'

export default function SignIn() {
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })
  return (
    <CardPage title={t('common.sign-in')}>
      <SignInForm auto_focus onDone={() => void router.navigate({ ...nextTarget(next), replace: true })} />
      <AccountLinks next={next} />
    </CardPage>
  )
}
