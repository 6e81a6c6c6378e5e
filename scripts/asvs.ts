import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'

/** A requirement of OWASP ASVS 5.0.0, level 1 or 2, in our own words. */
export interface Requirement {
  id: string
  level: string
  words: string
  state: 'covered' | 'not_applicable' | 'open'
  /** The reason why it does not apply, or what is missing. */
  reason: string
  /** The test that covers it. */
  file: string
  title: string
}

/** The table of `scripts/asvs.tsv`. */
export const readRequirements = () =>
  readFileSync(join(package_root, 'scripts/asvs.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line): Requirement => {
      const [id = '', level = '', words = '', state = '', reason = '', file = '', title = ''] = line.split('\t')
      return { id, level, words, state: state as Requirement['state'], reason, file, title }
    })

const chapters: Readonly<Record<string, string>> = {
  V1: 'Encoding',
  V2: 'Validation and business logic',
  V3: 'Browsers',
  V4: 'API',
  V5: 'Files',
  V6: 'Sign-in',
  V7: 'Sessions',
  V8: 'Authorization',
  V9: 'Signed tokens',
  V10: 'OAuth and OpenID Connect',
  V11: 'Cryptography',
  V12: 'TLS',
  V13: 'Configuration',
  V14: 'Data',
  V15: 'Code and packages',
  V16: 'Logs and errors',
  V17: 'WebRTC',
}

const chapterOf = ({ id }: Requirement) => id.split('.')[0]!
const cell = (text: string) => text.replaceAll('|', String.raw`\|`)

const proofOf = ({ state, reason, file, title }: Requirement) => {
  if (state === 'covered') return `[${file}](../../${file}) · ${cell(title)}`
  return state === 'open' ? `**open**: ${cell(reason)}` : `does not apply: ${cell(reason)}`
}

const rowOf = (requirement: Requirement) =>
  `| ${requirement.id} | ${requirement.level} | ${cell(requirement.words)} | ${proofOf(requirement)} |`

/** The document of all requirements, by chapter. */
export function printAsvs() {
  const all = readRequirements()
  const count = (state: Requirement['state']) => all.filter((one) => one.state === state).length
  return `# OWASP ASVS 5.0.0, levels 1 and 2

Printed from \`scripts/asvs.tsv\` by \`npm run print\`. Each requirement of the
[standard](https://github.com/OWASP/ASVS/tree/v5.0.0) is in our own words; its id leads to the full text. A requirement is covered by a test, which a check
finds by file and title, does not apply, or is open, also where the code does it and no test says so.

${all.length} requirements: ${count('covered')} covered by tests, ${count('not_applicable')} do not apply, ${count('open')} open.

${Object.entries(chapters)
  .map(([chapter, name]) =>
    [
      `## ${chapter} ${name}`,
      '',
      '| id | level | requirement | proof |',
      '|---|---|---|---|',
      ...all.filter((one) => chapterOf(one) === chapter).map(rowOf),
    ].join('\n'),
  )
  .join('\n\n')}
`
}
