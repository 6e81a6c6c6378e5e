import { Badge } from '@mantine/core'
import { countPending } from '../../contract/admin.ts'
import type { AnswerOf } from '../api/call.ts'
import { useApiQuery } from '../api/hooks.ts'
import { t } from '../texts.ts'

type Counts = AnswerOf<typeof countPending>

/** The API does not count further. */
const counted_max = 100

const counts_at: Record<string, (counts: Counts) => number> = {
  '/admin/review': ({ apps, changed_apps, scope_requests }) => apps + changed_apps + scope_requests,
  '/admin/reports': ({ cases }) => cases,
  '/admin/second-person': ({ reviews }) => reviews,
}

/** The number of pending decisions on an admin page. */
export function WaitingCount({ path }: { path: string }) {
  const { data } = useApiQuery(countPending, {}, { refetchInterval: 60_000 })
  const count = data ? (counts_at[path]?.(data) ?? 0) : 0
  if (count === 0) return null
  return (
    <Badge size="sm" circle={count < 10} aria-label={t('ui.waiting-count.waiting', { count })}>
      {count < counted_max ? count : `${counted_max}+`}
    </Badge>
  )
}
