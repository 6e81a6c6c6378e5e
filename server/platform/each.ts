import { isDatabaseUnavailable } from './postgres/errors.ts'

/**
 * Runs `work` for every item, at most `at_once` concurrently. An item that fails does not stop the others: the errors
 * are returned in the order in which they occurred. If the database is unavailable, throws and starts no further item.
 */
export async function forEachItem<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  { at_once = 1 }: { at_once?: number } = {},
): Promise<unknown[]> {
  const errors: unknown[] = []
  const iterator = items[Symbol.iterator]()
  let unavailable: unknown
  const worker = async () => {
    for (let next = iterator.next(); !next.done && unavailable === undefined; next = iterator.next())
      await work(next.value).catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) unavailable = error
        else errors.push(error)
      })
  }
  await Promise.all(Array.from({ length: at_once }, worker))
  if (unavailable !== undefined) throw unavailable as Error
  return errors
}

/** A page of ids, in order: those after one, or from the beginning. */
export interface Page {
  after: string | null
  rows_max: number
}

/** Runs `work` for each id, page by page, one at a time; throws the first error at the end. */
export async function forEachPage(
  rows_max: number,
  read: (page: Page) => Promise<{ id: string }[]>,
  work: (id: string) => Promise<unknown>,
) {
  const errors: unknown[] = []
  for (let after: string | null = null; ;) {
    const page: { id: string }[] = await read({ after, rows_max })
    errors.push(...(await forEachItem(page, ({ id }) => work(id))))
    after = page.at(-1)?.id ?? null
    if (page.length < rows_max) break
  }
  if (errors.length > 0) throw errors[0] as Error
}
