import { median } from './world.ts'

/** One line of the results: Plaza compared with another side, measured in turns in the same run. */
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

/** Prints a line about what goes on. */
export const note = (line: string) => void process.stderr.write(`  ${line}\n`)

export interface Round {
  ours: number
  other: number
}

/** Measures both sides in turns, `rounds` times, with alternating order; prints each round. */
export async function inTurns(
  name: string,
  rounds: number,
  ours: () => Promise<number>,
  other: () => Promise<number>,
): Promise<Round[]> {
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const first_ours = round % 2 === 0
    const a = first_ours ? await ours() : await other()
    const b = first_ours ? await other() : await ours()
    const result = first_ours ? { ours: a, other: b } : { ours: b, other: a }
    note(`${name} ${round + 1}/${rounds}: ${result.ours.toFixed(1)} against ${result.other.toFixed(1)}`)
    results.push(result)
  }
  return results
}

/** The median of the ratios per round, so that a slow phase of the machine affects both sides. */
export const medianRatio = (rounds: Round[]) => median(rounds.map(({ ours, other }) => ours / other))

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

export const perSecond = (numbers: number[]) => `${Math.round(median(numbers)).toLocaleString('en')}/s`
