import { decision_texts, type DecisionText } from '../contract/decision-texts.ts'
import { decisions, type Decided } from '../contract/decisions.ts'

const head = `# Decisions

Printed from \`contract/decision-texts.ts\` and \`contract/decisions.ts\` by \`npm run print\`; edit it there, not here.

The specification leaves points open. Each is closed by one entry below and nowhere else. The code reads the values of an
entry by the name in parentheses; the OpenAPI document marks operations and fields with the id as \`x-decision\`.
`

/** The page `docs/decisions.md`, generated from the contract. */
export const printDecisions = () =>
  head +
  Object.entries<DecisionText>(decision_texts)
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([id, text]) => printEntry(id, text))
    .join('')

function printEntry(id: string, { gap, choice, why }: DecisionText): string {
  const lines = [`- **Gap:** ${gap}`, `- **Choice:** ${choice}`, `- **Why:** ${why}`]
  const [name, decided] = Object.entries<Decided>(decisions).find(([, one]) => one.id === id) ?? []
  if (decided) lines.push(`- **Values** (\`${name}\`): ${printValues(decided)}`)
  return `\n## ${id}\n\n${lines.join('\n')}\n`
}

const printValues = ({ id: _, ...values }: Decided) =>
  Object.entries(values)
    .map(([name, value]) => `\`${name}\` = \`${JSON.stringify(value)}\``)
    .join(', ')
