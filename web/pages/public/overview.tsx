import { Box, Flex, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { me } from '../../../contract/accounts.ts'
import { adminListApps } from '../../../contract/admin.ts'
import { listModules } from '../../../contract/learning.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { LinkButton, type StaticPath } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { TierMark } from '../../ui/tier-mark.tsx'

type Module = AnswerOf<typeof listModules>['modules'][number]
type User = AnswerOf<typeof me>['user']

interface Step {
  icon: IconName
  title: string
  about: string
  to: StaticPath
  button: string
  done: boolean
}

/** The account at a glance, with next steps. */
export default function Overview({ is_admin }: { is_admin: boolean }) {
  const profile = useApiQuery(me, {})
  const apps = useApiQuery(listMyApps, {})
  const course = useApiQuery(listModules, {})
  return (
    <QueryResult query={profile} rows={8}>
      {({ user }) => (
        <>
          <PageHead
            title={<span className="user-content">Hello, {user.username}</span>}
            about="Your account at a glance."
          />
          <Figures user={user} />
          <Stack mt="lg">
            {is_admin && <AdminQueue />}
            <NextSteps steps={stepsFor(user, apps.data?.length ?? 0, course.data?.modules ?? [])} />
          </Stack>
        </>
      )}
    </QueryResult>
  )
}

const Figures = ({ user: { points, tier, tier_emoji, stats } }: { user: User }) => (
  <SimpleGrid cols={{ base: 2, sm: 4 }}>
    <Figure name="Points">{formatNumber(points)}</Figure>
    <Figure name="Earned so far">{formatNumber(stats.total_earned)}</Figure>
    <Figure name="Connected apps">{formatNumber(stats.connected_apps)}</Figure>
    <Figure name="Tier">
      <TierMark sign={tier_emoji} /> {tier}
    </Figure>
  </SimpleGrid>
)

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <Section p="md">
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text fz={24} fw={650} className="number">
      {children}
    </Text>
  </Section>
)

function stepsFor({ email_verified, totp_enabled, stats }: User, own_apps: number, modules: readonly Module[]): Step[] {
  const lessons = modules.flatMap(({ steps }) => steps)
  return [
    {
      icon: 'mail',
      title: 'Verify your e-mail address',
      about: 'It lets you register apps, and set a new password if you forget yours.',
      to: '/verify-email',
      button: 'Verify',
      done: email_verified,
    },
    {
      icon: 'shield',
      title: 'Add a second factor',
      about: 'Sign in with a code from your phone too, so that a stolen password is not enough.',
      to: '/account/security',
      button: 'Set it up',
      done: totp_enabled,
    },
    {
      icon: 'plug',
      title: 'Sign in to an app',
      about: 'Find one in the directory and use your Plaza account there.',
      to: '/directory',
      button: 'See the directory',
      done: stats.connected_apps > 0,
    },
    {
      icon: 'book',
      title: 'Learn, and earn points',
      about: 'Short lessons; each step pays its reward once.',
      to: '/learning',
      button: lessons.some(({ completed }) => completed) ? 'Go on' : 'Begin',
      done: lessons.length > 0 && lessons.every(({ completed }) => completed),
    },
    {
      icon: 'app',
      title: 'Build an app of your own',
      about: 'Register it. When an admin has approved it, people can sign in there.',
      to: own_apps > 0 ? '/apps' : '/apps/new',
      button: own_apps > 0 ? 'See your apps' : 'Register an app',
      done: own_apps > 0,
    },
  ]
}

/** Open steps first, then the completed ones. */
function NextSteps({ steps }: { steps: Step[] }) {
  const sorted = [...steps.filter(({ done }) => !done), ...steps.filter(({ done }) => done)]
  const first = sorted.find(({ done }) => !done)
  return (
    <Section title="What to do next">
      <Stack component="ul" gap="md" p={0} m={0}>
        {sorted.map((step) => (
          <StepRow key={step.title} step={step} first={step === first} />
        ))}
      </Stack>
    </Section>
  )
}

const StepRow = ({ step: { icon, title, about, to, button, done }, first }: { step: Step; first: boolean }) => (
  <Flex
    component="li"
    direction={{ base: 'column', xs: 'row' }}
    align={{ base: 'stretch', xs: 'center' }}
    justify="space-between"
    gap="sm"
  >
    <Group wrap="nowrap" gap="md" align="flex-start">
      <Text component="span" lh={1} mt={2} c={done ? 'dimmed' : 'var(--mantine-color-anchor)'}>
        <Icon name={done ? 'check' : icon} size={22} />
      </Text>
      <Box>
        <Text fw={550} {...(done && { c: 'dimmed' })}>
          {title}
          {done && ' (done)'}
        </Text>
        {!done && (
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        )}
      </Box>
    </Group>
    {!done && (
      <LinkButton to={to} size="xs" variant={first ? 'filled' : 'default'} flex="none">
        {button}
      </LinkButton>
    )}
  </Flex>
)

function AdminQueue() {
  const pending = useApiQuery(adminListApps, { query: { status: 'pending' } })
  const pending_count = pending.data?.data.length ?? 0
  const more = pending.data?.next_cursor ? ' or more' : ''
  return (
    <Section
      title="Pending review"
      actions={
        <LinkButton to="/admin/review" size="xs" variant={pending_count > 0 ? 'filled' : 'default'}>
          Review
        </LinkButton>
      }
    >
      <Text>
        {pending.data === undefined
          ? 'Loading…'
          : pending_count === 0
            ? 'No app is pending review.'
            : `${pending_count}${more} ${pending_count === 1 ? 'app is' : 'apps are'} pending your decision.`}
      </Text>
    </Section>
  )
}
