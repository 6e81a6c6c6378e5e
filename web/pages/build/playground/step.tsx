import { Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import classes from '../build.module.css'

interface StepProps {
  number: number
  title: string
  about: ReactNode
  done?: boolean
  /** Shown instead of the content while an earlier step is open. */
  blocked_by?: string | undefined
  children: ReactNode
}

/** One step of the flow. */
export const Step = ({ number, title, about, done = false, blocked_by, children }: StepProps) => (
  <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} bg="var(--plaza-card)">
    <Group gap="sm" wrap="nowrap" mb={4}>
      <span className={classes.ordinal} data-done={done || undefined} aria-hidden="true">
        {done ? <Icon name="check" size={15} /> : number}
      </span>
      <Title order={2}>{title}</Title>
    </Group>
    <Text size="sm" c="dimmed" mb={blocked_by === undefined ? 'md' : 0}>
      {blocked_by ?? about}
    </Text>
    {blocked_by === undefined && children}
  </Paper>
)
