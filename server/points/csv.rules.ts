export type Cell = string | number | Date | Record<string, unknown> | null

/**
 * A line of CSV (RFC 4180), with its end. A text that a spreadsheet would take for a formula begins with an apostrophe (D-99).
 */
export const csvLine = (cells: Cell[]) => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(value: Cell) {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
