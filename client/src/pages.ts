import type { CallOptions } from './options.ts'

/** A page with the cursor of the next one; `has_more` is false if that page has no rows yet. */
interface CursorPage<Row> {
  data: Row[]
  next_cursor: string | null
  has_more?: boolean
}

interface NumberedPage<Row> {
  data: Row[]
  page: number
  page_size: number
  total: number
}

/** Newest first; the next page is requested by time. */
type TimedPage<Row> = (Row & { sent_at: string })[]

type Page<Row> = CursorPage<Row> | NumberedPage<Row> | TimedPage<Row>

type RowOf<AnyPage> = AnyPage extends readonly (infer Row)[]
  ? Row
  : AnyPage extends { data: readonly (infer Row)[] }
    ? Row
    : never

type List<Input, AnyPage> = (input: Input, options?: CallOptions) => Promise<AnyPage>

/** The arguments after the list; the input is optional if the list requires none. */
type Rest<Input> = undefined extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions]

/**
 * The pages of a list. Each is requested when the previous one has been read.
 *
 *     for await (const { data, next_cursor } of pagesOf(shop.listAppEvents, { cursor })) …
 */
export async function* pagesOf<Input, AnyPage extends Page<unknown>>(
  list: List<Input, AnyPage>,
  ...[input, options]: Rest<Input>
): AsyncGenerator<AnyPage, void> {
  for (let next: object | undefined = { ...input }; next;) {
    const page = await list(next as Input, options)
    yield page
    const more = afterPage(page)
    next = more && { ...next, ...more }
  }
}

/** The rows of a list, over all its pages. */
export async function* rowsOf<Input, AnyPage extends Page<unknown>>(
  list: List<Input, AnyPage>,
  ...rest: Rest<Input>
): AsyncGenerator<RowOf<AnyPage>, void> {
  for await (const page of pagesOf(list, ...rest))
    yield* ('data' in page ? page.data : page) as readonly RowOf<AnyPage>[]
}

/** The input for the next page; undefined after the last one. */
function afterPage(page: Page<unknown>): object | undefined {
  if ('next_cursor' in page)
    return page.next_cursor === null || page.has_more === false ? undefined : { cursor: page.next_cursor }
  if ('total' in page) return page.page * page.page_size < page.total ? { page: page.page + 1 } : undefined
  const last = page.at(-1)
  return last && { before: last.sent_at }
}
