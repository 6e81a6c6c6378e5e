import { setTimeout as pause } from 'node:timers/promises'
import { decisions } from '../../contract/decisions.ts'
import { account_sections } from '../accounts/leaving.service.ts'
import type { AccountsDeps } from '../accounts/service.ts'
import { admin_sections } from '../admin/leaving.service.ts'
import { ads_sections } from '../ads/leaving.service.ts'
import { hosting_sections } from '../hosting/api/leaving.service.ts'
import { learning_sections } from '../learning/leaving.service.ts'
import { notices_sections } from '../notices/leaving.service.ts'
import { oauth_sections } from '../oauth/leaving.service.ts'
import type { ExportSection } from '../platform/export-section.ts'
import { points_sections } from '../points/leaving.service.ts'
import { social_sections } from '../social/leaving.service.ts'
import { webhooks_sections } from '../webhooks/leaving.service.ts'

const { page_rows: rows_max } = decisions.leaving

/** As in CSV exports: other reads of the database must not wait for the export. */
const rest_factor = 3
const rest_ms_max = 500

/** Everything about a person, by the name of its list. */
const sections: readonly ExportSection[] = [
  ...account_sections,
  ...notices_sections,
  ...points_sections,
  ...oauth_sections,
  ...webhooks_sections,
  ...ads_sections,
  ...learning_sections,
  ...social_sections,
  ...hosting_sections,
  ...admin_sections,
]

/** Everything about a person as one JSON document, a page of rows at a time: memory does not grow with it (D-106). */
export async function* exportAccount({ db, clock }: AccountsDeps, user_id: string): AsyncGenerator<string> {
  const now = clock()
  yield `{"made_at":${JSON.stringify(now)}`
  for (const { name, pages } of sections) {
    yield `,\n${JSON.stringify(name)}:[`
    let separator = '\n'
    let began_ms = performance.now()
    for await (const rows of pages({ db, user_id, now, rows_max })) {
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
