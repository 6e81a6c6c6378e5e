import { Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link } from '../../ui/link.tsx'
import { PersonAvatar, PersonName } from '../../ui/person.tsx'
import type { Person } from './friend-relations.ts'
import classes from './people.module.css'

interface PersonRowProps {
  person: Person
  /** Shown below the name. */
  about?: ReactNode
  /** Undefined if the presence is not known. */
  online?: boolean
  /** The position in a virtualized list. */
  position?: { at: number; of: number }
  actions?: ReactNode
  /** The page of a blocked person does not exist. */
  is_blocked?: boolean
  error?: unknown
}

/** A `listitem`: needs a parent with `role="list"`. */
export const PersonRow = ({ person, about, online, position, actions, is_blocked, error }: PersonRowProps) => (
  <div
    role="listitem"
    className={classes.person}
    {...(position && { 'aria-posinset': position.at, 'aria-setsize': position.of })}
  >
    <Group gap="sm" wrap="nowrap" className={classes.who}>
      <Box className={classes.face} data-online={online || undefined}>
        <PersonAvatar person={person} size={36} />
      </Box>
      <Box miw={0}>
        {is_blocked ? (
          <PersonName person={person} />
        ) : (
          <Link to="/u/$username" params={{ username: person.username }} c="inherit">
            <PersonName person={person} />
          </Link>
        )}
        {about && (
          <Text size="xs" c="dimmed" component="div">
            {about}
          </Text>
        )}
      </Box>
    </Group>
    {actions}
    {error ? (
      <Box className={classes.error}>
        <FailureNote error={error} />
      </Box>
    ) : null}
  </div>
)
