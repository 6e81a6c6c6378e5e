import type { listAudit } from '../../../contract/admin.ts'
import { isId } from '../../../contract/schema.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Button, Code, Group } from '@mantine/core'
import { DescriptionList } from '../../ui/description-list.tsx'
import type { AuditFilter } from './audit-filter.ts'
import { PersonLink } from './person-link.tsx'
import classes from './audit.module.css'
import { locale, t } from '../../texts.ts'

export type AuditEntry = AnswerOf<typeof listAudit>['data'][number]

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((part) => textOf(part).replaceAll('_', ' ')).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The details as one line, without ids: those stand in the opened entry. */
export const summaryOf = (details: Record<string, unknown>) =>
  Object.entries(details)
    .filter(([, value]) => !(typeof value === 'string' && isId(value)))
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${textOf(value)}`)
    .join(', ')

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
          ...Object.entries(details).map(
            ([name, value]) =>
              [
                name.replaceAll('_', ' '),
                <span key={name} className="user-content">
                  {textOf(value)}
                </span>,
              ] as const,
          ),
          [
            t('common.done-by'),
            actor_id ? <PersonLink key="by" id={actor_id} name={actor_username} /> : t('common.the-platform'),
          ],
          [
            t('common.done-to'),
            target_id ? (
              <Target key="to" id={target_id} name={target_name} action={action} />
            ) : (
              t('admin.audit-details.nothing-in-particular')
            ),
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

/** The actions whose target is a person. */
const isAboutPerson = (action: string) => /^(?:user|case|points)\./.test(action)

const Target = ({ id, name, action }: { id: string; name: string | null; action: string }) =>
  isAboutPerson(action) ? (
    <PersonLink id={id} name={name} />
  ) : (
    <>{name === null ? <Code>{id}</Code> : <span className="user-content">{name}</span>}</>
  )
