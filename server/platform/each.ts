import { isDatabaseUnavailable } from './postgres/errors.ts'

/**
 * Carries `work` out for every item, `at_once` at a time: one that fails holds up no other. Answers the errors, in the
 * order in which they came. Without its database nothing can succeed: then this fails, and begins no further item.
 */
export async function forEachItem<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  { at_once = 1 }: { at_once?: number } = {},
): Promise<unknown[]> {
  const errors: unknown[] = []
  const waiting = items[Symbol.iterator]()
  let away: unknown
  const worker = async () => {
    for (let next = waiting.next(); !next.done && away === undefined; next = waiting.next())
      await work(next.value).catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) away = error
        else errors.push(error)
      })
  }
  await Promise.all(Array.from({ length: at_once }, worker))
  if (away !== undefined) throw away as Error
  return errors
}
