/** Members of a list or object: the text before each value, and the value. */
type Members = readonly (readonly [head: string, value: unknown])[]

const membersOf = (value: object): Members =>
  Array.isArray(value)
    ? value.map((item: unknown) => ['', item] as const)
    : Object.entries(value).map(([key, item]) => [`${JSON.stringify(key)}: `, item] as const)

/** JSON on one line, with spaces. */
function line(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = membersOf(value).map(([head, item]) => head + line(item))
  return Array.isArray(value) ? `[${members.join(', ')}]` : `{${members.join(', ')}}`
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

/** Neighbours of these kinds share lines; members that have members never do, except references. */
type Kind = 'words' | 'reference'
function kindOf(value: unknown): Kind | undefined {
  if (isPlain(value) || Object.values(value as object).length === 0) return 'words'
  if (Array.isArray(value)) return value.every(isPlain) ? 'words' : undefined
  return Object.keys(value as object).join() === '$ref' ? 'reference' : undefined
}

/**
 * JSON text for people, in lines of at most `width` characters where possible: a value that fits takes one line, the last member
 * begins on its parent's line if only words precede it, and neighbours that are words, or references, share lines.
 */
export function compactJson(value: unknown, width: number): string {
  /** `used` characters of the line are taken by the text before and after. */
  function write(part: unknown, indent: number, used: number): string {
    const short = line(part)
    if (isPlain(part) || used + short.length <= width) return short
    const members = membersOf(part as object)
    const [open, close] = Array.isArray(part) ? ['[', ']'] : ['{', '}']
    const [head, last] = members.at(-1) ?? ['', undefined]
    const words = members.slice(0, -1).map(([before, item]) => `${before}${line(item)}, `)
    const opening = words.join('') + head
    const is_short = members.slice(0, -1).every(([, item]) => kindOf(item) === 'words') && used + opening.length < width
    if (!isPlain(last) && (members.length === 1 || is_short))
      return `${open}${opening}${write(last, indent, used + opening.length + 2)}${close}`
    const inner = indent + 2
    const lines = members.map(
      ([before, item], at) =>
        `${before}${write(item, inner, inner + before.length + 1)}${at === members.length - 1 ? '' : ','}`,
    )
    const kinds = members.map(([, item]) => kindOf(item))
    const shared = fill(lines, kinds, width - inner)
    return [open, ...shared.map((each) => ' '.repeat(inner) + each), ' '.repeat(indent) + close].join('\n')
  }
  return write(value, 0, 0)
}

/** Joins parts into lines; neighbours of one kind share a line while there is room. */
function fill(parts: readonly string[], kinds: readonly (Kind | undefined)[], room: number) {
  const lines: string[] = []
  for (const [at, part] of parts.entries()) {
    const last = lines.at(-1)
    const is_alike = kinds[at] !== undefined && kinds[at] === kinds[at - 1]
    if (is_alike && last !== undefined && last.length + 1 + part.length <= room)
      lines[lines.length - 1] = `${last} ${part}`
    else lines.push(part)
  }
  return lines
}
