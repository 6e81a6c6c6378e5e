import { Badge, Stack, Text } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PasswordChange } from './password-change.tsx'
import { Passkeys } from './passkeys.tsx'
import { TwoFactor } from './two-factor.tsx'
import { t } from '../../texts.ts'

export default function Security() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead title={t('common.security')} about={t('account.security.your-passkeys-and-password-two-factor')} />
      <Stack gap="lg" maw={760}>
        <QueryResult query={profile} rows={6}>
          {({ user }) => (
            <>
              <Section title={t('common.passkeys')} about={t('account.security.sign-in-with-your-fingerprint-your')}>
                <Passkeys totp_enabled={user.totp_enabled} />
              </Section>
              <Section
                title={t('account.security.two-factor-authentication')}
                about={t('account.security.signing-in-then-needs-a-code')}
                actions={
                  user.totp_enabled ? (
                    <Badge size="lg">{t('common.on')}</Badge>
                  ) : (
                    <Badge size="lg" color="gray">
                      {t('common.off')}
                    </Badge>
                  )
                }
              >
                <TwoFactor enabled={user.totp_enabled} />
              </Section>
              <Section title={t('common.password')}>
                <PasswordChange email={user.email} />
              </Section>
            </>
          )}
        </QueryResult>
        <Section
          title={t('common.where-you-are-signed-in')}
          actions={
            <LinkButton to="/account/sessions" size="xs" variant="default">
              {t('account.security.see-all-sign-ins')}
            </LinkButton>
          }
        >
          <Text size="sm" c="dimmed">
            {t('account.security.if-you-do-not-know-one')}
          </Text>
        </Section>
      </Stack>
    </>
  )
}
