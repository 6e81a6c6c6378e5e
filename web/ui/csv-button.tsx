import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { FailureNote } from './failure-note.tsx'
import { Icon } from './icon.tsx'
import { notify } from './notify.tsx'
import { t } from '../texts.ts'

interface CsvButtonProps {
  /** Saves the file: `downloadFile` with the list's filter. Rejects with what is shown. */
  save: () => Promise<void>
  /** Said when it is saved. */
  done: string
  disabled: boolean
}

/** Downloads everything that matches the filter of a list as CSV. */
export function CsvButton({ save, done, disabled }: CsvButtonProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const start = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await save()
      notify(done)
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
        onClick={() => void start()}
        loading={busy}
        disabled={disabled}
      >
        {t('common.export-as-csv')}
      </Button>
    </Group>
  )
}
