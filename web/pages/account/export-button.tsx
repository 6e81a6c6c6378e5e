import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { exportMyHistory } from '../../../contract/points.ts'
import { downloadFile } from '../../api/download-file.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { queryOf, type Filter } from './movements.ts'

const fileName = ({ kind, direction }: Filter) =>
  ['points', kind, direction, new Date().toISOString().slice(0, 10)].filter(Boolean).join('-') + '.csv'

/** Downloads all movements that match the filter as CSV. */
export function ExportButton({ filter, disabled }: { filter: Filter; disabled: boolean }) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const save = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await downloadFile(exportMyHistory, { query: queryOf(filter) }, fileName(filter))
      notify('The movements are saved as a CSV file.')
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Group gap="xs">
      <FailureNote error={failure} />
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="download" size={15} />}
        onClick={() => void save()}
        loading={busy}
        disabled={disabled}
      >
        Export as CSV
      </Button>
    </Group>
  )
}
