import { exportMyHistory } from '../../../contract/points.ts'
import { downloadFile } from '../../api/download-file.ts'
import { CsvButton } from '../../ui/csv-button.tsx'
import { queryOf, type Filter } from './movements.ts'
import { t } from '../../texts.ts'

const fileName = ({ kind, direction }: Filter) =>
  ['points', kind, direction, new Date().toISOString().slice(0, 10)].filter(Boolean).join('-') + '.csv'

/** Downloads all movements that match the filter as CSV. */
export const ExportButton = ({ filter, disabled }: { filter: Filter; disabled: boolean }) => (
  <CsvButton
    save={() => downloadFile(exportMyHistory, { query: queryOf(filter) }, fileName(filter))}
    done={t('account.export-button.the-movements-are-saved-as-a')}
    disabled={disabled}
  />
)
