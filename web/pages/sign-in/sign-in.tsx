import { Text } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { nextSearch, safeNext } from '../../session/next.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { Link } from '../../ui/link.tsx'

export default function SignIn() {
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })
  return (
    <CardPage title="Sign in">
      <SignInForm auto_focus onDone={() => void router.navigate({ href: safeNext(next), replace: true })} />
      <Text size="sm" mt="lg">
        <Link to="/forgot-password" search={nextSearch(next)}>
          Forgot your password?
        </Link>
      </Text>
      <Text size="sm" mt="xs">
        New here?{' '}
        <Link to="/register" search={{ next }}>
          Create an account
        </Link>
      </Text>
    </CardPage>
  )
}
