interface Page<Row> {
  data: Row[]
  next_cursor: string | null
}

/** The rows of all pages of a list. `read` gets the cursor of each page except the first. */
export async function rowsOfPages<Row>(read: (next: { cursor?: string }) => Promise<Page<Row>>) {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const page: Page<Row> = await read(cursor === null ? {} : { cursor })
    rows.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return rows
}
