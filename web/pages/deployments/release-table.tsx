import { Badge, Button, Code, Table, Text, VisuallyHidden } from '@mantine/core'
import { RelativeTime } from '../../ui/format.tsx'
import rowsClasses from '../../ui/responsive-table.module.css'
import classes from './deployments.module.css'
import { release_states, shortImage, type Release } from './releases.ts'
import { t } from '../../texts.ts'

interface ReleaseTableProps {
  releases: Release[]
  base: Release
  onRollBack: (release: Release) => void
}

/** Releases, newest first, each with a button that goes back to it where it may be gone back to. */
export const ReleaseTable = ({ releases, base, onRollBack }: ReleaseTableProps) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.releases')}>
    <Table className={rowsClasses.rows} miw={{ base: 0, sm: 700 }} verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th miw={72}>{t('common.release')}</Table.Th>
          <Table.Th miw={112}>{t('common.state')}</Table.Th>
          <Table.Th miw={280}>{t('common.what-it-is')}</Table.Th>
          <Table.Th miw={112}>{t('common.made')}</Table.Th>
          <Table.Th miw={112}>
            <VisuallyHidden>{t('common.roll-back')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {releases.map((release) => (
          <Row
            key={release.id}
            release={release}
            may_return={release.id !== base.id && release.served_at !== null}
            onRollBack={onRollBack}
          />
        ))}
      </Table.Tbody>
    </Table>
  </div>
)

const words: Record<Release['changed'][number], string> = {
  image: 'image',
  tier: 'tier',
  port: 'port',
  custom_domain: 'domain',
  env_vars: 'environment',
  replicas: 'replicas',
}

const differenceOf = ({ number, rolled_back_to, changed, env_changed }: Release) => {
  if (rolled_back_to !== null) return t('deployments.release-table.back-to-release', { rolled_back_to })
  if (changed.length === 0)
    return number === 1 ? t('deployments.release-table.the-first-one') : t('deployments.release-table.no-difference')
  const names = env_changed.length > 0 ? ` (${env_changed.join(', ')})` : ''
  return t('deployments.release-table.changed', { changed: changed.map((what) => words[what]).join(', '), names })
}

function Row({
  release,
  may_return,
  onRollBack,
}: {
  release: Release
  may_return: boolean
  onRollBack: (release: Release) => void
}) {
  const { color, label } = release_states()[release.status]
  const tail = release.failure?.tail
  return (
    <Table.Tr>
      <Table.Td fw={600} valign="top" className="number">
        {release.number}
      </Table.Td>
      <Table.Td valign="top">
        <Badge color={color}>{label}</Badge>
      </Table.Td>
      <Table.Td valign="top" data-wide>
        <Code className="user-content" title={release.container_image}>
          {shortImage(release.container_image)}
        </Code>
        <Text size="xs" c="dimmed" className="user-content">
          {differenceOf(release)}
        </Text>
        {typeof release.failure?.message === 'string' && <Text size="sm">{release.failure.message}</Text>}
        {Array.isArray(tail) && tail.length > 0 && (
          <Code
            block
            className={classes.details}
            tabIndex={0}
            role="region"
            aria-label={t('deployments.release-table.last-output-of-release', { number: release.number })}
          >
            {tail.join('\n')}
          </Code>
        )}
      </Table.Td>
      <Table.Td valign="top">
        <RelativeTime at={release.inserted_at} />
      </Table.Td>
      <Table.Td valign="top">
        {may_return && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onRollBack(release)}
            aria-label={t('deployments.release-table.roll-back-to-release', { number: release.number })}
          >
            {t('common.roll-back')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
