import { List, Text } from '@mantine/core'
import { t } from '../../texts.ts'

/** What a change or a roll back makes different, a line each. */
export const Differences = ({ lines, none }: { lines: readonly string[]; none: string }) => (
  <div role="status" aria-label={t('common.what-changes')}>
    {lines.length === 0 ? (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    ) : (
      <List size="sm" spacing={2}>
        {lines.map((line) => (
          <List.Item key={line} className="user-content">
            {line}
          </List.Item>
        ))}
      </List>
    )}
  </div>
)
