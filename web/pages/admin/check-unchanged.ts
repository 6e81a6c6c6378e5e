import type { PagedList } from './list-card.tsx'
import { t } from '../../texts.ts'

/** Thrown when an entry has changed since it was shown. */
class DecisionConflict extends Error {
  constructor(name: string) {
    super(t('admin.check-unchanged.was-already-decided-by-another-admin', { name }))
  }
}

type Reviewed = {
  id: string
  status: string
  listed: boolean
  app_name: string
  review: { resubmitted_at: string | null }
}

/**
 * Refetches the list right before a decision and compares the entry: the API accepts a decision in every state of an app.
 * Rejects with `DecisionConflict`, or with the error of the refetch.
 */
export async function checkUnchanged<Row extends Reviewed>(list: PagedList<Row>, seen: Row) {
  const { data, error } = await list.refetch()
  if (error) throw error
  const pages = (data?.pages ?? []) as unknown as { data: Row[] }[]
  const current = pages.flatMap((page) => page.data).find(({ id }) => id === seen.id)
  const is_unchanged =
    current?.status === seen.status &&
    current.listed === seen.listed &&
    current.review.resubmitted_at === seen.review.resubmitted_at
  if (!is_unchanged) throw new DecisionConflict(seen.app_name)
}
