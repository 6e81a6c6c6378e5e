/** The Damerau–Levenshtein distance of two words (optimal string alignment). */
function editDistance(one: string, other: string) {
  const rows: number[][] = Array.from({ length: one.length + 1 }, (_, at) => [at])
  const cell = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let column = 0; column <= other.length; column++) (rows[0] as number[])[column] = column
  for (let row = 1; row <= one.length; row++)
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1
      let least = Math.min(cell(row - 1, column) + 1, cell(row, column - 1) + 1, cell(row - 1, column - 1) + changed)
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (row > 1 && column > 1 && swapped) least = Math.min(least, cell(row - 2, column - 2) + 1)
      ;(rows[row] as number[])[column] = least
    }
  return cell(one.length, other.length)
}

/** Stricter for short names, which resemble names of another meaning (`PORT`, `POST`; `SMTP_URL`, `SMTP_USER`). */
const distanceAllowed = ({ length }: string) => (length < 7 ? 0 : length < 9 ? 1 : 2)

/** The known name that an unknown one most likely misspells; undefined if none is similar enough. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const close = known
    // The difference in length is a lower bound: most distances need not be computed.
    .filter((candidate) => Math.abs(candidate.length - name.length) <= distanceAllowed(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= distanceAllowed(candidate))
    .sort((one, other) => one.distance - other.distance)
  return close[0]?.candidate
}
