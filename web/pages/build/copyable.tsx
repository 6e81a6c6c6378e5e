import { Code, Group } from '@mantine/core'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './build.module.css'

/** A value with a copy button, which wraps below a long value. */
export const Copyable = ({ value, what }: { value: string; what: string }) => (
  <Group gap="xs" justify="space-between" align="flex-start">
    <Code className={classes.copied}>{value}</Code>
    <CopyButton text={value} what={what} size="compact-xs" flex="none" />
  </Group>
)
