import { median } from './world.ts'

/** One line of the results: Plaza compared with another side, measured alternately in the same run. */
export interface Figure {
  name: string
  ours: string
  other: string
  ratio: number
  must: number
  /** `at_least`: higher is better. `at_most`: a cost, lower is better. */
  sense: 'at_least' | 'at_most'
  note?: string
}

/** Prints a line of progress. */
export const note = (line: string) => void process.stderr.write(`  ${line}\n`)

export interface Round {
  ours: number
  other: number
}

/** How often both sides of a figure are measured. */
export const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

/** Measures both sides alternately, in alternating order, after a warm-up round; prints each round. */
async function inTurns(name: string, ours: () => Promise<number>, other: () => Promise<number>) {
  await ours()
  await other()
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const is_first = round % 2 === 0
    const first = is_first ? await ours() : await other()
    const second = is_first ? await other() : await ours()
    const result = is_first ? { ours: first, other: second } : { ours: second, other: first }
    note(`${name} ${round + 1}/${rounds}: ${result.ours.toFixed(2)} against ${result.other.toFixed(2)}`)
    results.push(result)
  }
  return results
}

/** A figure whose two sides are measured in the same way. */
interface Comparison extends Pick<Figure, 'name' | 'must'> {
  /** The name of the other side. */
  other: string
  sense?: Figure['sense']
  /** Formats a measured value; a rate by default. */
  text?: (value: number) => string
  note?: () => string
}

/** Measures both sides. The ratio is the median of the ratios per round, so that a slow phase of the machine affects both. */
export async function compare(
  { name, other, must, sense = 'at_least', text = perSecond, note: noteOf }: Comparison,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Figure> {
  const results = await inTurns(name, ours, theirs)
  return {
    name,
    ours: text(median(results.map((round) => round.ours))),
    other: `${other} ${text(median(results.map((round) => round.other)))}`,
    ratio: median(results.map((round) => round.ours / round.other)),
    must,
    sense,
    ...(noteOf && { note: noteOf() }),
  }
}

export const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`
export const milliseconds = (digits: number) => (value: number) => `${value.toFixed(digits)} ms`

const passes = ({ ratio, must, sense }: Figure) => (sense === 'at_least' ? ratio >= must : ratio <= must)

/** The results as a Markdown table. */
export function table(figures: Figure[]) {
  const head = '| figure | ours | other side | ratio | must be | |\n|---|---|---|---|---|---|'
  const rows = figures.map((figure) => {
    const bound = `${figure.sense === 'at_least' ? '≥' : '≤'} ${figure.must} ×`
    return `| ${figure.name} | ${figure.ours} | ${figure.other} | ${figure.ratio.toFixed(figure.ratio < 0.1 ? 4 : 2)} × | ${bound} | ${passes(figure) ? 'reached' : 'missed'}${figure.note ? `; ${figure.note}` : ''} |`
  })
  return [head, ...rows].join('\n')
}
