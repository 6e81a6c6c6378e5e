import { Box, Flex, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { Suspense, type ReactNode } from 'react'
import { me } from '../../../contract/accounts.ts'
import { listModules } from '../../../contract/learning.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LinkButton, type StaticPath } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { TierMark } from '../../ui/tier-mark.tsx'
import { t } from '../../texts.ts'

const AdminQueue = lazyComponent(() => import('./admin-queue.tsx'))

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
export default function Overview() {
  const { session } = useSession()
  const profile = useApiQuery(me, {})
  const apps = useApiQuery(listMyApps, {})
  const course = useApiQuery(listModules, {})
  return (
    <QueryResult query={profile} rows={8}>
      {({ user }) => (
        <>
          <PageHead
            title={<span className="user-content">{t('public.overview.hello', { username: user.username })}</span>}
            about={t('public.overview.your-account-at-a-glance')}
          />
          <Figures user={user} />
          <Stack mt="lg">
            {session?.user.is_admin && (
              <Suspense fallback={<Skeleton h={122} />}>
                <AdminQueue />
              </Suspense>
            )}
            <NextSteps steps={stepsFor(user, apps.data?.length ?? 0, course.data?.modules ?? [])} />
          </Stack>
        </>
      )}
    </QueryResult>
  )
}

const Figures = ({ user: { points, tier, tier_emoji, stats } }: { user: User }) => (
  <SimpleGrid cols={{ base: 2, sm: 4 }}>
    <Figure name={t('common.points')}>{formatNumber(points)}</Figure>
    <Figure name={t('public.overview.earned-so-far')}>{formatNumber(stats.total_earned)}</Figure>
    <Figure name={t('common.connected-apps')}>{formatNumber(stats.connected_apps)}</Figure>
    <Figure name={t('common.tier')}>
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
      title: t('common.verify-your-e-mail-address'),
      about: t('public.overview.it-lets-you-register-apps-and'),
      to: '/verify-email',
      button: t('common.verify'),
      done: email_verified,
    },
    {
      icon: 'shield',
      title: t('public.overview.add-a-second-factor'),
      about: t('public.overview.sign-in-with-a-code-from'),
      to: '/account/security',
      button: t('common.set-it-up'),
      done: totp_enabled,
    },
    {
      icon: 'plug',
      title: t('public.overview.sign-in-to-an-app'),
      about: t('public.overview.find-one-in-the-directory-and'),
      to: '/directory',
      button: t('public.overview.see-the-directory'),
      done: stats.connected_apps > 0,
    },
    {
      icon: 'book',
      title: t('public.overview.learn-and-earn-points'),
      about: t('public.overview.short-lessons-each-step-pays-its'),
      to: '/learning',
      button: lessons.some(({ completed }) => completed) ? t('common.go-on') : t('common.begin'),
      done: lessons.length > 0 && lessons.every(({ completed }) => completed),
    },
    {
      icon: 'app',
      title: t('public.overview.build-an-app-of-your-own'),
      about: t('public.overview.register-it-when-an-admin-has'),
      to: own_apps > 0 ? '/apps' : '/apps/new',
      button: own_apps > 0 ? t('common.see-your-apps') : t('common.register-an-app'),
      done: own_apps > 0,
    },
  ]
}

/** Open steps first, then the completed ones. */
function NextSteps({ steps }: { steps: Step[] }) {
  const sorted = [...steps.filter(({ done }) => !done), ...steps.filter(({ done }) => done)]
  const first = sorted.find(({ done }) => !done)
  return (
    <Section title={t('common.what-to-do-next')}>
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
          {done && ` ${t('public.overview.done')}`}
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
