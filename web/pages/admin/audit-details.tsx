import { Button, Group } from '@mantine/core'
import { DescriptionList } from '../../ui/description-list.tsx'
import type { AuditFilter } from './audit-filter.ts'
import { Target, type AuditEntry } from './audit-sentence.tsx'
import { PersonLink } from './person-link.tsx'
import classes from './audit.module.css'
import { locale, t } from '../../texts.ts'

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((part) => textOf(part).replaceAll('_', ' ')).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface AuditDetailsProps {
  entry: AuditEntry
  onFilter: (filter: AuditFilter) => void
}

/** All fields of an entry, with filters for similar entries. */
export function AuditDetails({ entry, onFilter }: AuditDetailsProps) {
  const { actor_id, actor_username, target_id, target_name, action, details, inserted_at } = entry
  return (
    <div className={classes.details}>
      <DescriptionList
        items={[
          [t('common.when'), exact.format(new Date(inserted_at))],
          ...Object.entries(details).flatMap(([name, value]) =>
            value === null
              ? []
              : [
                  [
                    name.replaceAll('_', ' '),
                    <span key={name} className="user-content">
                      {textOf(value)}
                    </span>,
                  ] as const,
                ],
          ),
          [
            t('common.done-by'),
            actor_id ? <PersonLink key="by" id={actor_id} name={actor_username} /> : t('common.the-platform'),
          ],
          [
            t('common.done-to'),
            target_id ? <Target key="to" entry={entry} /> : t('admin.audit-details.nothing-in-particular'),
          ],
        ]}
      />
      <Group gap="xs" mt="sm">
        <Button size="compact-xs" variant="default" onClick={() => onFilter({ action })}>
          {t('admin.audit-details.filter-by-this-action')}
        </Button>
        {actor_id && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onFilter(actor_username === null ? { actor_id } : { actor: actor_username })}
          >
            {t('admin.audit-details.filter-by-this-person')}
          </Button>
        )}
        {target_id && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onFilter(target_name === null ? { target_id } : { target: target_name })}
          >
            {t('admin.audit-details.filter-by-this-target')}
          </Button>
        )}
      </Group>
    </div>
  )
}
