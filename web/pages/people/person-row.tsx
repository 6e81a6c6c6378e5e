import { Avatar, Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNote } from '../../ui/failure-note.tsx'
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
  error?: unknown
}

/** A `listitem`: needs a parent with `role="list"`. */
export const PersonRow = ({ person: { username }, about, online, position, actions, error }: PersonRowProps) => (
  <div
    role="listitem"
    className={classes.person}
    {...(position && { 'aria-posinset': position.at, 'aria-setsize': position.of })}
  >
    <Group gap="sm" wrap="nowrap" className={classes.who}>
      <Box className={classes.face} data-online={online || undefined}>
        <Avatar name={username} color="plaza" size={36} radius="xl" aria-hidden />
      </Box>
      <Box miw={0}>
        <Text fw={600} size="sm" truncate className="user-content">
          {username}
        </Text>
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
