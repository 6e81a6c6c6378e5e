import { exportAudit } from '../../../contract/admin.ts'
import { downloadFile } from '../../api/download-file.ts'
import { CsvButton } from '../../ui/download-button.tsx'
import { t } from '../../texts.ts'

/** Saves all entries that match the filter as CSV. */
export const AuditExport = ({ query, disabled }: { query: Record<string, string>; disabled: boolean }) => (
  <CsvButton
    save={() => downloadFile(exportAudit, { query }, `audit-${new Date().toISOString().slice(0, 10)}.csv`)}
    done={t('admin.audit-export.the-entries-are-saved-as-a')}
    disabled={disabled}
  />
)
