/** Maps a chart's values to positions from 0 to 100 on both axes, downwards on the vertical one. */
export interface Places {
  xOf: (at: number) => number
  yOf: (value: number) => number
}

/**
 * The marks of a scale from 0: multiples of 1, 2 or 5 times a power of ten, at most six; the last is at least the
 * highest value.
 */
export function marksTo(highest: number, whole = false): number[] {
  const rough = (highest || 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const fitting = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10)
  const step = whole ? Math.max(1, fitting) : fitting
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, at) => at * step)
}

/** The positions of at most `count` labels among `length` values, equally spaced and away from the edges. */
export function labelledPlaces(length: number, count: number): number[] {
  const distance = Math.ceil(length / count)
  return Array.from({ length }, (_, at) => at).filter((at) => at % distance === Math.floor(distance / 2))
}

/**
 * A line through values, broken at missing ones. With steps, a value applies from the previous position on. A value
 * without others is a line across the chart.
 */
export const linePath = (values: readonly (number | null)[], { xOf, yOf }: Places, steps = false): string =>
  values
    .map((value, at) => {
      if (value === null) return ''
      const [x, y] = [xOf(at), yOf(value)]
      if (values.length === 1) return `M0 ${y}H100`
      // A line of zero length renders as a dot.
      if (typeof values[at - 1] !== 'number') return `M${x} ${y}h0`
      return steps ? `V${y}H${x}` : `L${x} ${y}`
    })
    .join('')

/** A bar for each value, with three quarters of the available width. */
export function barsPath(values: readonly (number | null)[], { xOf, yOf }: Places): string {
  const width = 75 / values.length
  return values.map((value, at) => `M${xOf(at) - width / 2} 100V${yOf(value ?? 0)}h${width}V100Z`).join('')
}

/** Each row's values with the sum of the previous ones: the upper edges of a stack. */
export const stacked = (rows: readonly (readonly (number | null)[])[]): number[][] =>
  rows.map((values) => values.map((_, at) => values.slice(0, at + 1).reduce<number>((sum, one) => sum + (one ?? 0), 0)))
