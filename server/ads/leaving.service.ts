import { longSection, type ExportSection } from '../platform/export-section.ts'
import type { Database } from '../platform/postgres/database.ts'
import { listAdEventsOf, type AdPlace } from './leaving.store.ts'

/** The ads that a person saw and clicked. They stay when the person leaves, because they contain only ids. */
export const adsSections = (db: Database, user_id: string, { rows_max }: { rows_max: number }): ExportSection[] => [
  longSection(
    'ads',
    rows_max,
    (after: AdPlace | null) => listAdEventsOf(db.lengthy, { user_id, after, rows_max }),
    ({ at, id }) => ({ at, id }),
    ['at'],
  ),
]
