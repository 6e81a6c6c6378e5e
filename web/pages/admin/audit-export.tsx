import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { exportAudit } from '../../../contract/admin.ts'
import { downloadFile } from '../../api/download-file.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'

/** Saves all entries that match the filter as CSV. */
export function AuditExport({ query, disabled }: { query: Record<string, string>; disabled: boolean }) {
  const save = useMutation({
    mutationFn: () => downloadFile(exportAudit, { query }, `audit-${new Date().toISOString().slice(0, 10)}.csv`),
    onSuccess: () => notify(t('admin.audit-export.the-entries-are-saved-as-a')),
  })
  return (
    <>
      <FailureNote error={save.error} />
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="download" size={15} />}
        onClick={() => save.mutate()}
        loading={save.isPending}
        disabled={disabled}
      >
        {t('common.export-as-csv')}
      </Button>
    </>
  )
}
