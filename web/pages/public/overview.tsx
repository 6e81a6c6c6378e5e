import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { Suspense } from 'react'
import { me } from '../../../contract/accounts.ts'
import { listModules } from '../../../contract/learning.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { listUnread } from '../../../contract/conversations.ts'
import { listPresence } from '../../../contract/social.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LinkButton, type StaticPath } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { Tile } from '../../ui/tile.tsx'
import { TierMark, TierName } from '../../ui/tier-mark.tsx'
import { t } from '../../texts.ts'

const AdminQueue = lazyComponent(() => import('./admin-queue.tsx'))
const LastMovements = lazyComponent(() => import('../account/last-movements.tsx'))

type Module = AnswerOf<typeof listModules>['modules'][number]
type User = AnswerOf<typeof me>['user']

interface Step {
  title: string
  about: string
  to: StaticPath
  button: string
  done: boolean
}

/** The person's home: figures that link to their pages, the next setup step, the balance and the last movements. */
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
          <Stack>
            <Figures user={user} modules={course.data?.modules} />
            {session?.user.is_admin && (
              <Suspense fallback={<Skeleton h={122} />}>
                <AdminQueue />
              </Suspense>
            )}
            {apps.data && course.data && <NextStep steps={stepsFor(user, apps.data.length, course.data.modules)} />}
            <Suspense fallback={<Skeleton h={300} />}>
              <LastMovements />
            </Suspense>
          </Stack>
        </>
      )}
    </QueryResult>
  )
}

function Figures({ user: { points, held, tier, tier_emoji }, modules }: { user: User; modules: Module[] | undefined }) {
  const online = useApiQuery(listPresence, {}).data?.presence.filter(({ status }) => status === 'online').length
  const unread = useApiQuery(listUnread, {}).data?.unread
  const shown = (amount: number | undefined) => (amount === undefined ? '…' : formatNumber(amount))
  const next = modules
    ?.flatMap(({ module_number, steps }) => steps.map((step) => ({ module_number, ...step })))
    .find(({ completed }) => !completed)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Tile
        to="/points"
        label={t('common.points')}
        value={formatNumber(points)}
        about={
          <>
            <TierMark sign={tier_emoji} /> <TierName tier={tier} />
            {held > 0 && ` · ${t('public.overview.held-by-apps', { held: formatNumber(held) })}`}
          </>
        }
      />
      <Tile to="/friends" label={t('public.overview.friends-online')} value={shown(online)} />
      <Tile to="/chat" label={t('public.overview.unread-messages')} value={shown(unread)} />
      {next ? (
        <Tile
          to="/learning/$module/$step"
          params={{ module: String(next.module_number), step: next.step_id }}
          label={t('public.overview.next-lesson')}
          value={next.reward === null ? '→' : `+${formatNumber(next.reward)}`}
          about={next.title}
        />
      ) : (
        <Tile to="/learning" label={t('common.learning')} value={modules ? '→' : '…'} />
      )}
    </SimpleGrid>
  )
}

function stepsFor({ email_verified, totp_enabled, stats }: User, own_apps: number, modules: readonly Module[]): Step[] {
  const lessons = modules.flatMap(({ steps }) => steps)
  return [
    {
      title: t('common.verify-your-e-mail-address'),
      about: t('public.overview.it-lets-you-register-apps-and'),
      to: '/verify-email',
      button: t('common.verify'),
      done: email_verified,
    },
    {
      title: t('public.overview.add-a-second-factor'),
      about: t('public.overview.sign-in-with-a-code-from'),
      to: '/account/security',
      button: t('common.set-it-up'),
      done: totp_enabled,
    },
    {
      title: t('public.overview.sign-in-to-an-app'),
      about: t('public.overview.find-one-in-the-directory-and'),
      to: '/directory',
      button: t('public.overview.see-the-directory'),
      done: stats.connected_apps > 0,
    },
    {
      title: t('public.overview.learn-and-earn-points'),
      about: t('public.overview.short-lessons-each-step-pays-its'),
      to: '/learning',
      button: lessons.some(({ completed }) => completed) ? t('common.go-on') : t('common.begin'),
      done: lessons.length > 0 && lessons.every(({ completed }) => completed),
    },
    {
      title: t('public.overview.build-an-app-of-your-own'),
      about: t('public.overview.register-it-when-an-admin-has'),
      to: own_apps > 0 ? '/apps' : '/apps/new',
      button: own_apps > 0 ? t('common.see-your-apps') : t('common.register-an-app'),
      done: own_apps > 0,
    },
  ]
}

const ring_length = 100

/** The number of completed steps, and the first open one. Renders nothing when all are done. */
function NextStep({ steps }: { steps: Step[] }) {
  const done = steps.filter((step) => step.done).length
  const next = steps.find((step) => !step.done)
  if (!next) return null
  return (
    <Section>
      <Group wrap="nowrap" gap="md">
        <svg viewBox="0 0 36 36" width="56" height="56" aria-hidden="true" style={{ flex: 'none' }}>
          {[
            ['var(--plaza-line)', ring_length],
            ['var(--mantine-color-anchor)', (ring_length * done) / steps.length],
          ].map(([color, length]) => (
            <circle
              key={color}
              cx="18"
              cy="18"
              r="15.9"
              fill="none"
              stroke={String(color)}
              strokeWidth="3"
              pathLength={ring_length}
              strokeDasharray={`${length} ${ring_length}`}
              transform="rotate(-90 18 18)"
            />
          ))}
        </svg>
        <div style={{ flex: 1, minWidth: 0 }}>
          <Text size="sm" c="dimmed">
            {t('public.overview.steps-done', { done, count: steps.length })}
          </Text>
          <Text fw={550}>{next.title}</Text>
          <Text size="sm" c="dimmed" visibleFrom="sm">
            {next.about}
          </Text>
        </div>
        <LinkButton to={next.to} size="xs" flex="none">
          {next.button}
        </LinkButton>
      </Group>
    </Section>
  )
}
