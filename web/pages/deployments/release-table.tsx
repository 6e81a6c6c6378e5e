import { Badge, Button, Code, Text } from '@mantine/core'
import { DataTable, timeColumn, type Column } from '../../ui/data-table.tsx'
import { Differences, Tail } from './parts.tsx'
import { linesOfRollBack, release_states, shortImage, type Release } from './releases.ts'
import { t } from '../../texts.ts'

interface ReleaseTableProps {
  releases: Release[]
  base: Release
  /** Undefined if the person may not roll back. */
  onRollBack: ((release: Release) => void) | undefined
}

/** Releases, newest first; those that served have a button to roll back to them. */
export const ReleaseTable = ({ releases, ...props }: ReleaseTableProps) => (
  <DataTable label={t('common.releases')} rows={releases} columns={columnsOf(props)} miw={700} shown_first={10} />
)

interface RollBackProps {
  base: Release
  to: Release
  tiers: readonly { id: string; name: string }[]
}

/** The differences that a rollback makes. */
export const RollBackDifferences = ({ base, to, tiers }: RollBackProps) => {
  const tierOf = (id: string) => tiers.find((tier) => tier.id === id)?.name ?? t('common.another-tier')
  return <Differences lines={linesOfRollBack(base, to, tierOf)} none={t('common.nothing-differs-it-would-stay-as')} />
}

const top = { verticalAlign: 'top' }

const columnsOf = ({ base, onRollBack }: Omit<ReleaseTableProps, 'releases'>): Column<Release>[] => [
  {
    head: t('common.release'),
    th: { miw: 72 },
    className: 'number',
    td: { ...top, fontWeight: 600 },
    cell: ({ number }) => number,
  },
  {
    head: t('common.state'),
    th: { miw: 112 },
    td: top,
    cell: ({ status }) => <Badge color={release_states()[status].color}>{release_states()[status].label}</Badge>,
  },
  {
    head: t('common.what-it-is'),
    th: { miw: 280 },
    td: top,
    on_phone: 'line',
    cell: (release) => <About release={release} />,
  },
  timeColumn(t('common.made'), ({ inserted_at }) => inserted_at, { th: { miw: 112 }, td: top }),
  {
    head: t('common.roll-back'),
    head_hidden: true,
    th: { miw: 112 },
    td: top,
    cell: (release) =>
      onRollBack &&
      release.id !== base.id &&
      release.served_at !== null && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onRollBack(release)}
          aria-label={t('deployments.release-table.roll-back-to-release', { number: release.number })}
        >
          {t('common.roll-back')}
        </Button>
      ),
  },
]

const words: Record<Release['changed'][number], string> = {
  image: 'image',
  tier: 'tier',
  port: 'port',
  custom_domain: 'domain',
  env_vars: 'environment',
  replicas: 'replicas',
  health_path: 'health path',
}

const differenceOf = ({ number, rolled_back_to, changed, env_changed }: Release) => {
  if (rolled_back_to !== null) return t('deployments.release-table.back-to-release', { rolled_back_to })
  if (changed.length === 0)
    return number === 1 ? t('deployments.release-table.the-first-one') : t('deployments.release-table.no-difference')
  const names = env_changed.length > 0 ? ` (${env_changed.join(', ')})` : ''
  return t('deployments.release-table.changed', { changed: changed.map((what) => words[what]).join(', '), names })
}

const About = ({ release }: { release: Release }) => (
  <>
    <Code className="user-content" title={release.container_image}>
      {shortImage(release.container_image)}
    </Code>
    <Text size="xs" c="dimmed" className="user-content">
      {differenceOf(release)}
    </Text>
    {typeof release.failure?.message === 'string' && <Text size="sm">{release.failure.message}</Text>}
    <Tail
      lines={release.failure?.tail}
      label={t('deployments.release-table.last-output-of-release', { number: release.number })}
    />
  </>
)
