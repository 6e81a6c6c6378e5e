import { Text } from '@mantine/core'
import { nextSearch } from '../../session/next.ts'
import { Link } from '../../ui/link.tsx'

interface AccountLinksProps {
  /** The address to return to afterwards. */
  next: string | undefined
  /** What follows "Create an account". */
  children?: string
}

/** Below a sign-in form: for people who forgot their password or have no account. */
export const AccountLinks = ({ next, children }: AccountLinksProps) => (
  <>
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
      {children}
    </Text>
  </>
)
