import { Badge, Stack, Text } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PasswordChange } from './password-change.tsx'
import { Passkeys } from './passkeys.tsx'
import { TwoFactor } from './two-factor.tsx'

export default function Security() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead
        title="Security"
        about="Your passkeys and password, two-factor authentication, and where you are signed in."
      />
      <Stack gap="lg" maw={760}>
        <QueryResult query={profile} rows={6}>
          {({ user }) => (
            <>
              <Section
                title="Passkeys"
                about="Sign in with your fingerprint, your face or the PIN of your device, in place of the password."
              >
                <Passkeys totp_enabled={user.totp_enabled} />
              </Section>
              <Section
                title="Two-factor authentication"
                about="Signing in then needs a code from your phone as well as the password."
                actions={
                  user.totp_enabled ? (
                    <Badge size="lg">On</Badge>
                  ) : (
                    <Badge size="lg" color="gray">
                      Off
                    </Badge>
                  )
                }
              >
                <TwoFactor enabled={user.totp_enabled} />
              </Section>
              <Section title="Password">
                <PasswordChange email={user.email} />
              </Section>
            </>
          )}
        </QueryResult>
        <Section
          title="Where you are signed in"
          actions={
            <LinkButton to="/account/sessions" size="xs" variant="default">
              See all sign-ins
            </LinkButton>
          }
        >
          <Text size="sm" c="dimmed">
            If you do not know one of them, end it there and change your password.
          </Text>
        </Section>
      </Stack>
    </>
  )
}
