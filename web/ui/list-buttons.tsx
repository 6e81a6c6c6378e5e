import { ActionIcon, Button } from '@mantine/core'
import { Icon } from './icon.tsx'

/** Removes an entry of a list that is being edited. */
export const RemoveButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick}>
    <Icon name="trash" size={16} />
  </ActionIcon>
)

/** Adds an entry to a list that is being edited. */
export const AddButton = ({ children, onClick }: { children: string; onClick: () => void }) => (
  <Button size="compact-sm" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={onClick}>
    {children}
  </Button>
)
