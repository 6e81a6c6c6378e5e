import { Badge, Button, Group, SimpleGrid, Stack, Text, Textarea } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { me, sendVerification } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DescriptionList, Statistics } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { TierMark } from '../../ui/tier-mark.tsx'
import { NextSteps } from './next-steps.tsx'

type Me = AnswerOf<typeof me>['user']

export default function Overview() {
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead title="Your account" about="Your profile, your points and your referrals." />
      <Stack gap="lg">
        <QueryResult query={profile} rows={6}>
          {({ user }) => (
            <>
              <NextSteps user={user} />
              <Amounts user={user} />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Profile user={user} />
                <Referral user={user} />
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
    title="Points"
    actions={
      <LinkButton to="/points" size="xs" variant="default">
        See every movement
      </LinkButton>
    }
  >
    <Statistics
      items={[
        ['You have', formatNumber(points)],
        ['Earned in all', formatNumber(stats.total_earned)],
        ['Spent in all', formatNumber(stats.total_spent)],
        ['Connected apps', formatNumber(stats.connected_apps)],
      ]}
    />
  </Section>
)

const Profile = ({ user }: { user: Me }) => (
  <Section title="Profile">
    <DescriptionList
      items={[
        [
          'Username',
          <Group key="name" gap="xs">
            <span className="user-content">{user.username}</span>
            <Link to="/account/details" fz="sm">
              Change address or name
            </Link>
          </Group>,
        ],
        ['E-mail', <Address key="address" user={user} />],
        [
          'Two-factor',
          <Group key="factor" gap="xs">
            {user.totp_enabled ? <Badge>On</Badge> : <Badge color="gray">Off</Badge>}
            <Link to="/account/security" fz="sm">
              {user.totp_enabled ? 'Change it' : 'Set it up'}
            </Link>
          </Group>,
        ],
        [
          'Tier',
          <span key="tier">
            {user.tier} <TierMark sign={user.tier_emoji} />
          </span>,
        ],
        [
          'Sign-ins',
          <Link key="sessions" to="/account/sessions" fz="sm">
            Where you are signed in
          </Link>,
        ],
        [
          'Your data',
          <Link key="leave" to="/account/leave" fz="sm">
            Download it, or leave Plaza
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
        {email_verified ? <Badge>Verified</Badge> : <Badge color="red">Not verified</Badge>}
      </Group>
      {!email_verified && (
        <Button size="compact-sm" variant="default" onClick={() => send.mutate({})} loading={send.isPending}>
          Mail me a new code
        </Button>
      )}
      <FailureNote error={send.error} />
    </Stack>
  )
}

function Referral({ user: { referral_code, signup_multiplier, stats } }: { user: Me }) {
  const link = `${location.origin}/register?ref=${encodeURIComponent(referral_code)}`
  return (
    <Section title="Invite somebody" about="People who register with your link count as your referrals.">
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <Textarea
            label="Your referral link"
            value={link}
            readOnly
            flex="1 1 18rem"
            autosize
            minRows={1}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={link} what="your referral link" size="sm" />
        </Group>
        <Text size="sm" c="dimmed">
          {stats.direct_referrals === 0
            ? 'Nobody has used it yet.'
            : stats.direct_referrals === 1
              ? 'One person has used it.'
              : `${formatNumber(stats.direct_referrals)} people have used it.`}
          {signup_multiplier > 1 && ` You get ${signup_multiplier} times the usual referral points.`}
        </Text>
      </Stack>
    </Section>
  )
}
