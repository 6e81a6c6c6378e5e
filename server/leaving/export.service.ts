import { setTimeout as pause } from 'node:timers/promises'
import { decisions } from '../../contract/decisions.ts'
import { accountSections } from '../accounts/leaving.service.ts'
import type { AccountsDeps } from '../accounts/service.ts'
import { adminSections } from '../admin/leaving.service.ts'
import { adsSections } from '../ads/leaving.service.ts'
import { hostingSections } from '../hosting/api/leaving.service.ts'
import { learningSections } from '../learning/leaving.service.ts'
import { noticesSections } from '../notices/leaving.service.ts'
import { oauthSections } from '../oauth/leaving.service.ts'
import type { ExportSection } from '../platform/export-section.ts'
import { pointsSections } from '../points/leaving.service.ts'
import { socialSections } from '../social/leaving.service.ts'
import { webhooksSections } from '../webhooks/leaving.service.ts'

const { page_rows: rows_max } = decisions.leaving

/** As in CSV exports: other reads of the database must not wait for the export. */
const rest_factor = 3
const rest_ms_max = 500

/** Everything about a person, by the name of its list. */
const sectionsOf = ({ db, clock }: AccountsDeps, user_id: string): ExportSection[] => [
  ...accountSections(db, user_id, { now: clock(), rows_max }),
  ...noticesSections(db, user_id, { rows_max }),
  ...pointsSections(db, user_id, { now: clock(), rows_max }),
  ...oauthSections(db, user_id, { rows_max }),
  ...webhooksSections(db, user_id),
  ...adsSections(db, user_id, { rows_max }),
  ...learningSections(db, user_id, { rows_max }),
  ...socialSections(db, user_id, { rows_max }),
  ...hostingSections(db, user_id, { rows_max }),
  ...adminSections(db, user_id, { rows_max }),
]

/** Everything about a person as one JSON document, a page of rows at a time: memory does not grow with it (D-106). */
export async function* exportAccount(deps: AccountsDeps, user_id: string): AsyncGenerator<string> {
  yield `{"made_at":${JSON.stringify(deps.clock())}`
  for (const { name, pages } of sectionsOf(deps, user_id)) {
    yield `,\n${JSON.stringify(name)}:[`
    let separator = '\n'
    let began_ms = performance.now()
    for await (const rows of pages()) {
      const took_ms = performance.now() - began_ms
      if (rows.length > 0) yield separator + rows.map((row) => JSON.stringify(row)).join(',\n')
      if (rows.length > 0) separator = ',\n'
      if (rows.length >= rows_max) await pause(Math.min(took_ms * rest_factor, rest_ms_max))
      began_ms = performance.now()
    }
    yield ']'
  }
  yield '}\n'
}
