import { Code, Group } from '@mantine/core'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './build.module.css'

/** A word to be copied, with the button that does it: beneath where both do not fit. */
export const Copyable = ({ value, what }: { value: string; what: string }) => (
  <Group gap="xs" justify="space-between" align="flex-start">
    <Code className={classes.copied}>{value}</Code>
    <CopyButton text={value} what={what} size="compact-xs" flex="none" />
  </Group>
)
