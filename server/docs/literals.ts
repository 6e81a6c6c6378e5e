/** Text as a single word of a shell. */
export const shellText = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Text as a JavaScript literal. */
export const javascriptText = (text: string) => (/['\\\p{Cc}]/u.test(text) ? JSON.stringify(text) : `'${text}'`)

/** Text as a Python literal. Python supports every JSON escape except `\/`, which does not occur. */
export const pythonText = (text: string) => JSON.stringify(text)

const words = {
  javascript: { true: 'true', false: 'false', null: 'null', text: javascriptText, indent: '  ' },
  python: { true: 'True', false: 'False', null: 'None', text: pythonText, indent: '    ' },
} as const

const width_max = 60

/** A JSON value as a literal: on one line if it is short, otherwise with one line per entry. */
export function literal(value: unknown, language: keyof typeof words, indent: string): string {
  const { text, indent: step } = words[language]
  const inner = indent + step
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return words[language][String(value) as 'true'] ?? String(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const entries = Array.isArray(value)
    ? value.map((item) => literal(item, language, inner))
    : Object.entries(value).map(([name, item]) => `${keyOf(name, language)}: ${literal(item, language, inner)}`)
  if (entries.length === 0) return open + close
  const space = Array.isArray(value) || language === 'python' ? '' : ' '
  const line = open + space + entries.join(', ') + space + close
  if (line.length <= width_max && !line.includes('\n')) return line
  return `${open}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${close}`
}

const keyOf = (name: string, language: keyof typeof words) =>
  language === 'javascript' && /^[A-Za-z_]\w*$/.test(name) ? name : words[language].text(name)

export const python_words = {
  json: ['    print(response.status, json.load(response))'],
  text: ['    print(response.status, response.read().decode())'],
  events: ['    for line in response:', '        print(line.decode(), end="")'],
} as const
