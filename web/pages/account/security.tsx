import { Badge, Stack, Text } from '@mantine/core'
import { Suspense } from 'react'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadingSkeleton, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'

// The page shows its texts before the code of its forms has come.
const PasswordChange = lazyComponent(() =>
  import('./password-change.tsx').then((module) => ({ default: module.PasswordChange })),
)
const Passkeys = lazyComponent(() => import('./passkeys.tsx').then((module) => ({ default: module.Passkeys })))
const TwoFactor = lazyComponent(() => import('./two-factor.tsx').then((module) => ({ default: module.TwoFactor })))

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
                <Suspense fallback={<LoadingSkeleton rows={2} />}>
                  <Passkeys totp_enabled={user.totp_enabled} />
                </Suspense>
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
                <Suspense fallback={<LoadingSkeleton rows={2} />}>
                  <TwoFactor enabled={user.totp_enabled} />
                </Suspense>
              </Section>
              <Section title={t('common.password')}>
                <Suspense fallback={<LoadingSkeleton rows={3} />}>
                  <PasswordChange email={user.email} />
                </Suspense>
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
