import { Code, Group } from '@mantine/core'
import { CopyButton } from '../../ui/copy-button.tsx'

/** A word to be copied, with the button that does it. */
export const Copied = ({ value, what }: { value: string; what: string }) => (
  <Group gap="xs" wrap="nowrap" justify="space-between" align="flex-start">
    <Code>{value}</Code>
    <CopyButton text={value} what={what} size="compact-xs" flex="none" />
  </Group>
)
