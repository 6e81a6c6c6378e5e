type Answer<Row> = Promise<readonly Row[]>

/** The first row; undefined if there is none. */
export const firstRow = async <Row>(answer: Answer<Row>) => (await answer)[0]

/** The row of a statement that always returns one; throws if it did not. */
export async function theRow<Row>(answer: Answer<Row>): Promise<Row> {
  const row = await firstRow(answer)
  if (row === undefined) throw new Error('a statement that always returns a row returned none')
  return row
}

/** Of a row with one column; with several, a call does not compile. */
type OneColumn<Row, Column = keyof Row> = Column extends unknown
  ? [keyof Row] extends [Column]
    ? unknown
    : never
  : never

const valueOf = <Row extends object>(row: Row) => Object.values(row)[0] as Row[keyof Row]

/** The rows of a statement with one column, as values. */
export const allValues = async <Row extends object>(answer: Answer<Row> & OneColumn<Row>) => (await answer).map(valueOf)

/** The first row of a statement with one column, as a value; undefined if there is none. */
export async function firstValue<Row extends object>(answer: Answer<Row> & OneColumn<Row>) {
  const row = await firstRow(answer)
  return row && valueOf(row)
}

/** The value of a statement with one column that always returns a row; throws if it did not. */
export const theValue = async <Row extends object>(answer: Answer<Row> & OneColumn<Row>) =>
  valueOf(await theRow(answer))

/** True if a statement found or changed a row. */
export const hasRows = async (answer: Answer<unknown>) => (await answer).length > 0

/** The number of rows that a statement found or changed. */
export const countRows = async (answer: Answer<unknown>) => (await answer).length
