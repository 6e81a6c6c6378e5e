import { Button, Group, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { FailureNote } from '../../ui/failure-note.tsx'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { formatNumber } from '../../ui/format.tsx'
import type { Filter } from './movements.ts'
import { toCsv, fetchAllMovements } from './points-export.ts'

const fileName = ({ kind, direction }: Filter) =>
  ['points', kind, direction, new Date().toISOString().slice(0, 10)].filter(Boolean).join('-') + '.csv'

/** Downloads all movements that match the filter, of all pages, as CSV. */
export function ExportButton({ filter, disabled }: { filter: Filter; disabled: boolean }) {
  const [count, setCount] = useState<number>()
  const [failure, setFailure] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  const startExport = async () => {
    const control = new AbortController()
    running.current = control
    setFailure(undefined)
    setCount(0)
    try {
      const movements = await fetchAllMovements(filter, setCount, control.signal)
      download(fileName(filter), toCsv(movements), 'text/csv')
      notify(`${formatNumber(movements.length)} movements are saved as a CSV file.`)
    } catch (error) {
      if (!control.signal.aborted) setFailure(error)
    } finally {
      setCount(undefined)
    }
  }
  return (
    <Group gap="xs">
      <FailureNote error={failure} />
      {count !== undefined && (
        <Text size="sm" c="dimmed" role="status" className="number">
          {formatNumber(count)} read…
        </Text>
      )}
      {count === undefined ? (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          onClick={() => void startExport()}
          disabled={disabled}
        >
          Export as CSV
        </Button>
      ) : (
        <Button size="xs" variant="default" onClick={() => running.current?.abort()}>
          Stop
        </Button>
      )}
    </Group>
  )
}
