import { Text } from '@mantine/core'
import { nextSearch } from '../../session/next.ts'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

interface AccountLinksProps {
  /** The address to return to afterwards. */
  next: string | undefined
  /** The text after "Create an account". */
  children?: string
}

/** Below a sign-in form: links for people who forgot their password or have no account. */
export const AccountLinks = ({ next, children }: AccountLinksProps) => (
  <>
    <Text size="sm" mt="lg">
      <Link to="/forgot-password" search={nextSearch(next)}>
        {t('common.forgot-your-password')}
      </Link>
    </Text>
    <Text size="sm" mt="xs">
      <RichText
        k="sign-in.account-links.new-here-create-an-account"
        link={(part) => (
          <Link to="/register" search={{ next }}>
            {part}
          </Link>
        )}
        children_value={children}
      />
    </Text>
  </>
)
