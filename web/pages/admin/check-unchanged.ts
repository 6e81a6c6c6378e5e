import type { PagedList } from './list-card.tsx'

/** Says that the entry is not any more what was looked at, so nothing was decided about it. */
class DecisionConflict extends Error {
  constructor(name: string) {
    super(`${name} was decided on meanwhile by another admin. Nothing was decided here.`)
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
 * Reads the list again and compares, right before a decision: the service takes one about an app whatever its state is.
 * Rejects with `DecidedMeanwhile`, or with why the list could not be read.
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
