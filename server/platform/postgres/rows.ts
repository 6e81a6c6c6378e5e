type Answer<Row> = Promise<readonly Row[]>

/** The first row; undefined if there is none. */
export const firstRow = async <Row>(answer: Answer<Row>) => (await answer)[0]

/** The row of a statement that always returns one. */
export const theRow = async <Row>(answer: Answer<Row>) => (await answer)[0] as Row

/** The rows of a statement with one column, as values. */
export const allValues = async <Row extends object>(answer: Answer<Row>) =>
  (await answer).flatMap((row) => Object.values(row) as Row[keyof Row][])

/** The first row of a statement with one column, as a value; undefined if there is none. */
export const firstValue = async <Row extends object>(answer: Answer<Row>): Promise<Row[keyof Row] | undefined> =>
  (await allValues(answer))[0]

/** The value of a statement with one row and one column. */
export const theValue = async <Row extends object>(answer: Answer<Row>) =>
  (await allValues(answer))[0] as Row[keyof Row]

/** True if a statement found or changed a row. */
export const hasRows = async (answer: Answer<unknown>) => (await answer).length > 0

/** The number of rows that a statement found or changed. */
export const countRows = async (answer: Answer<unknown>) => (await answer).length
