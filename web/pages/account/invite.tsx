import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { Suspense } from 'react'
import type { me } from '../../../contract/accounts.ts'
import { getReferral } from '../../../contract/profiles.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'

const QrCode = lazyComponent(() => import('./qr-code.tsx'))

/** The person's invitation link as text, as a QR code, and for the device's share menu. */
export function Invite({ user: { referral_code, stats } }: { user: AnswerOf<typeof me>['user'] }) {
  const link = `${location.origin}/register?ref=${encodeURIComponent(referral_code)}`
  const { reward = 0, signup_points = 0 } = useApiQuery(getReferral, { params: { code: referral_code } }).data ?? {}
  const share = { title: 'Plaza', text: t('account.invite.join-me-on-plaza'), url: link }
  return (
    <Section
      title={t('account.overview.invite-somebody')}
      about={t('account.invite.what-it-brings', { reward, signup_points })}
    >
      <Group gap="lg" align="flex-start">
        <Suspense fallback={<Skeleton w={132} h={132} />}>
          <QrCode text={link} label={t('account.invite.qr-code-with-your-link')} size={132} />
        </Suspense>
        <Stack gap="sm" flex="1 1 14rem">
          <TextInput
            label={t('account.overview.your-referral-link')}
            value={link}
            readOnly
            onFocus={(event) => event.currentTarget.select()}
          />
          <Group gap="xs">
            <CopyButton text={link} what={t('account.overview.your-referral-link-2')} size="sm" />
            {'share' in navigator && (
              <Button
                size="sm"
                leftSection={<Icon name="share" size={15} />}
                // A dismissed share menu rejects; it needs no message.
                onClick={() => void navigator.share(share).catch(() => undefined)}
              >
                {t('account.invite.share')}
              </Button>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {stats.direct_referrals === 0
              ? t('account.overview.nobody-has-used-it-yet')
              : t('account.overview.direct-referrals', { direct_referrals: stats.direct_referrals })}
          </Text>
        </Stack>
      </Group>
    </Section>
  )
}
