import { readSources } from './layers.ts'

const intro = `# Lines of the log

Printed from the code by \`npm run print\`: each line that the service can write, by level. \`…\` is a value. Requests and the fields of
each line are in [logs.md](logs.md); the reasons of refusals are the codes of the API.
`

const levels = ['error', 'warn', 'info', 'debug'] as const
const call = new RegExp(String.raw`\b(?:log\??|this)\.(${levels.join('|')})\(`, 'g')

/** The arguments of a call from its opening bracket on. */
function argumentsAt(text: string, start: number) {
  let depth = 1
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const character = text[at]!
    if (quote !== '') {
      if (character === '\\') at++
      else if (character === quote) quote = ''
    } else if (`'"\``.includes(character)) quote = character
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character) && --depth === 0) return text.slice(start, at)
  }
  return ''
}

/** The last text of a call, which is its message. */
const messageOf = (sent: string) =>
  [...sent.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, plain, template = '']) => plain ?? template.replaceAll(/\$\{[^}]*\}/g, '…'))
    .at(-1)

/** Every message that the service logs, by level, with the part that logs it. */
export async function printLogLines() {
  const sources = [...(await readSources())].filter(([path]) => /^server\/(?!test\/).*(?<!\.test)\.ts$/.test(path))
  const lines = sources.flatMap(([path, text]) =>
    [...text.matchAll(call)].flatMap(({ 1: level, 0: opening, index }) => {
      const message = messageOf(argumentsAt(text, index + opening.length))
      return message === undefined
        ? []
        : [{ level, row: `| ${message.replaceAll('|', String.raw`\|`)} | ${path.split('/')[1]} |` }]
    }),
  )
  const tables = levels.map((level) => {
    const rows = [...new Set(lines.filter((line) => line.level === level).map(({ row }) => row))].toSorted()
    return `## ${level}\n\n| message | part |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `${intro}\n${tables.join('\n')}`
}
