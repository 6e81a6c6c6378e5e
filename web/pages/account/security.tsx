import { Badge, Stack, Text } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { LoadingSkeleton, PageHead, Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import Passkeys from './passkeys.tsx'
import PasswordChange from './password-change.tsx'
import TwoFactor from './two-factor.tsx'

const loading = <LoadingSkeleton rows={2} />

export default function Security() {
  const profile = useApiQuery(me, {})
  const user = profile.data?.user
  return (
    <>
      <PageHead title={t('common.security')} about={t('account.security.your-passkeys-and-password-two-factor')} />
      <Stack gap="lg" maw={760}>
        <FailureNote error={user ? null : profile.error} onRetry={() => void profile.refetch()} />
        <Section title={t('common.passkeys')} about={t('account.security.sign-in-with-your-fingerprint-your')}>
          {user ? <Passkeys totp_enabled={user.totp_enabled} /> : loading}
        </Section>
        <Section
          title={t('account.security.two-factor-authentication')}
          about={t('account.security.signing-in-then-needs-a-code')}
          actions={
            user &&
            (user.totp_enabled ? (
              <Badge size="lg">{t('common.on')}</Badge>
            ) : (
              <Badge size="lg" color="gray">
                {t('common.off')}
              </Badge>
            ))
          }
        >
          {user ? <TwoFactor enabled={user.totp_enabled} /> : loading}
        </Section>
        <Section title={t('common.password')}>{user ? <PasswordChange email={user.email} /> : loading}</Section>
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
