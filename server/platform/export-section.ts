/** A list of an export, read page by page: memory does not grow with it. */
export interface ExportSection {
  name: string
  pages(): AsyncIterable<readonly object[]>
}

/** A section with few rows, read in one go. */
export const shortSection = (name: string, read: () => Promise<readonly object[]>): ExportSection => ({
  name,
  async *pages() {
    yield await read()
  },
})

/**
 * A section of any length. `read` gets the key of the last row of the previous page, computed by `keyOf`, and null for
 * the first page. The fields in `without` are not written.
 */
export const longSection = <Row extends object, Key>(
  name: string,
  rows_max: number,
  read: (after: Key | null) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  without: readonly (keyof Row)[] = [],
): ExportSection => ({
  name,
  async *pages() {
    for (let after: Key | null = null; ;) {
      const rows: Row[] = await read(after)
      yield rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([field]) => !without.includes(field as keyof Row))),
      )
      if (rows.length < rows_max) return
      after = keyOf(rows.at(-1)!)
    }
  },
})
