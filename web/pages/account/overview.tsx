import { Badge, Button, Group, SimpleGrid, Stack } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { me, sendVerification } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { DescriptionList, Statistics } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LanguageSelect } from '../../ui/language-select.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { TierMark, TierName } from '../../ui/tier-mark.tsx'
import { WaitingRewards } from '../../ui/waiting-rewards.tsx'
import { Invite } from './invite.tsx'
import { NextSteps } from './next-steps.tsx'
import { t } from '../../texts.ts'

type Me = AnswerOf<typeof me>['user']

export default function Overview() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead title={t('common.your-account')} about={t('account.overview.your-profile-your-points-and-your')} />
      <Stack gap="lg">
        <QueryResult query={profile} rows={6}>
          {({ user }) => (
            <>
              <WaitingRewards />
              <NextSteps user={user} />
              <Amounts user={user} />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Profile user={user} />
                <Invite user={user} />
              </SimpleGrid>
            </>
          )}
        </QueryResult>
      </Stack>
    </>
  )
}

const Amounts = ({ user: { points, stats } }: { user: Me }) => (
  <Section
    title={t('common.points')}
    actions={
      <LinkButton to="/points" size="xs" variant="default">
        {t('common.see-every-movement')}
      </LinkButton>
    }
  >
    <Statistics
      items={[
        [t('account.overview.you-have'), formatNumber(points)],
        [t('common.earned-in-all'), formatNumber(stats.total_earned)],
        [t('common.spent-in-all'), formatNumber(stats.total_spent)],
        [t('common.connected-apps'), formatNumber(stats.connected_apps)],
      ]}
    />
  </Section>
)

const Profile = ({ user }: { user: Me }) => (
  <Section title={t('account.overview.profile')}>
    <DescriptionList
      items={[
        [
          t('common.username'),
          <Group key="name" gap="xs">
            <span className="user-content">{user.username}</span>
            <Link to="/account/details" fz="sm">
              {t('account.overview.change-address-or-name')}
            </Link>
          </Group>,
        ],
        [t('account.overview.e-mail'), <Address key="address" user={user} />],
        [
          t('account.overview.two-factor'),
          <Group key="factor" gap="xs">
            {user.totp_enabled ? <Badge>{t('common.on')}</Badge> : <Badge color="gray">{t('common.off')}</Badge>}
            <Link to="/account/security" fz="sm">
              {user.totp_enabled ? t('account.overview.change-it') : t('common.set-it-up')}
            </Link>
          </Group>,
        ],
        [
          t('common.tier'),
          <span key="tier">
            <TierName tier={user.tier} /> <TierMark sign={user.tier_emoji} />
          </span>,
        ],
        [t('ui.language-select.language'), <LanguageSelect key="language" />],
        [
          t('common.sign-ins'),
          <Link key="sessions" to="/account/sessions" fz="sm">
            {t('common.where-you-are-signed-in')}
          </Link>,
        ],
        [
          t('common.notices'),
          <Link key="notices" to="/account/notices" fz="sm">
            {t('inbox.inbox.what-you-are-told')}
          </Link>,
        ],
        [
          t('account.overview.your-data'),
          <Link key="leave" to="/account/leave" fz="sm">
            {t('account.overview.download-it-or-leave-plaza')}
          </Link>,
        ],
      ]}
    />
  </Section>
)

function Address({ user: { email, email_verified } }: { user: Me }) {
  const router = useRouter()
  const send = useApiMutation(sendVerification, {
    invalidates: [me],
    // No notification: the target page reports the sent mail.
    onDone: () => void router.navigate({ to: '/verify-email', search: { sent: 'yes' } }),
  })
  return (
    <Stack gap={6} align="flex-start">
      <Group gap="xs">
        <span>{email}</span>
        {email_verified ? (
          <Badge>{t('common.verified')}</Badge>
        ) : (
          <Badge color="red">{t('account.overview.not-verified')}</Badge>
        )}
      </Group>
      {!email_verified && (
        <Button size="compact-sm" variant="default" onClick={() => send.mutate({})} loading={send.isPending}>
          {t('account.overview.mail-me-a-new-code')}
        </Button>
      )}
      <FailureNote error={send.error} />
    </Stack>
  )
}
