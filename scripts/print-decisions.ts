import { decision_texts, type DecisionId, type DecisionText } from '../contract/decision-texts.ts'
import { decisions, type Decided } from '../contract/decisions.ts'

/** The chapters of the page, each with its first decision. */
const groups: readonly { title: string; from: DecisionId }[] = [
  { title: 'General', from: 'D-01' },
  { title: 'Accounts', from: 'D-10' },
  { title: 'OAuth', from: 'D-20' },
  { title: 'Points', from: 'D-45' },
  { title: 'Deployments', from: 'D-55' },
  { title: 'Social, learning, ads, administration', from: 'D-70' },
]

const head = `# Decisions

Printed from \`contract/decision-texts.ts\` and \`contract/decisions.ts\` by \`npm run print\`; edit it there, not here.

The specification leaves points open. Each is closed by one entry below and nowhere else. The code reads the values from
the entry and names its id where it carries the choice out; the OpenAPI document marks operations and fields with it as
\`x-decision\`.
`

/** The page `docs/decisions.md`, generated from the contract. */
export function printDecisions(): string {
  const entries = Object.entries<DecisionText>(decision_texts).sort(([a], [b]) => a.localeCompare(b))
  const chapters = groups.map(({ title, from }, index) => {
    const next = groups[index + 1]?.from
    const own = entries.filter(([id]) => id >= from && (next === undefined || id < next))
    return `\n## ${title}\n${own.map(([id, decision]) => printEntry(id, decision)).join('')}`
  })
  return head + chapters.join('')
}

function printEntry(id: string, { gap, choice, why }: DecisionText): string {
  const value = (decisions as Readonly<Record<string, Decided>>)[id]?.value
  const lines = [`- **Gap:** ${gap}`, `- **Choice:** ${choice}`, `- **Why:** ${why}`]
  if (value) lines.push(`- **Values:** ${printValues(value)}`)
  return `\n### ${id}\n\n${lines.join('\n')}\n`
}

const printValues = (value: Readonly<Record<string, unknown>>) =>
  Object.entries(value)
    .map(([name, item]) => `\`${name}\` = \`${JSON.stringify(item)}\``)
    .join(', ')
