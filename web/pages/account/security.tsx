import { Badge, Stack, Text } from '@mantine/core'
import { Suspense, type ReactNode } from 'react'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadingSkeleton, PageHead, Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'

// The page shows its texts before the code of its forms has loaded.
const PasswordChange = lazyComponent(() => import('./password-change.tsx'))
const Passkeys = lazyComponent(() => import('./passkeys.tsx'))
const TwoFactor = lazyComponent(() => import('./two-factor.tsx'))
// Loading begins before the page is rendered, which repeats what failed.
for (const part of [PasswordChange, Passkeys, TwoFactor]) part.fetch().catch(() => undefined)

export default function Security() {
  const profile = useApiQuery(me, {})
  const user = profile.data?.user
  return (
    <>
      <PageHead title={t('common.security')} about={t('account.security.your-passkeys-and-password-two-factor')} />
      <Stack gap="lg" maw={760}>
        <FailureNote error={user ? null : profile.error} onRetry={() => void profile.refetch()} />
        <Section title={t('common.passkeys')} about={t('account.security.sign-in-with-your-fingerprint-your')}>
          <Form>{user && <Passkeys totp_enabled={user.totp_enabled} />}</Form>
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
          <Form>{user && <TwoFactor enabled={user.totp_enabled} />}</Form>
        </Section>
        <Section title={t('common.password')}>
          <Form>{user && <PasswordChange email={user.email} />}</Form>
        </Section>
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

/** The placeholder of a form whose code or account has not loaded yet. */
const Form = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={<LoadingSkeleton rows={2} />}>{children ?? <LoadingSkeleton rows={2} />}</Suspense>
)
