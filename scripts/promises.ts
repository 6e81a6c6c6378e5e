/** A test that a promise of docs/promises.md names. */
export interface NamedTest {
  file: string
  title: string
}

export interface Promised {
  sentence: string
  tests: readonly NamedTest[]
}

/** The promises of the document: list items, each with its tests below. Throws at a list line that is neither. */
export function readPromises(text: string): Promised[] {
  const promises: { sentence: string; tests: NamedTest[] }[] = []
  for (const line of text.split('\n').filter((one) => /^\s*-\s/.test(one))) {
    const [, file, target, title] = /^ {2}- \[([^\]]+)\]\(\.\.\/([^)]+)\) · (.+)$/.exec(line) ?? []
    if (line.startsWith('- ')) promises.push({ sentence: line.slice(2), tests: [] })
    else if (file === undefined || title === undefined || file !== target || promises.length === 0)
      throw new Error(`neither a promise nor a test of one: ${line}`)
    else promises.at(-1)?.tests.push({ file, title })
  }
  return promises
}

const quoted = (text: string, quote: string) =>
  text.replaceAll(quote, () => `\\${quote}`).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** True if a source has a test with this title that runs. */
export function hasTest(source: string, title: string): boolean {
  const calls = ["'", '"', '`'].map((quote) => String.raw`\(\s*${quote}${quoted(title, quote)}${quote}\s*,`)
  const at = source.search(new RegExp(calls.join('|')))
  if (at < 0) return false
  const [kind] = source.slice(0, at).match(/\b(?:test|it)\b(?:\.\w+)*(?![^]*\b(?:test|it)\b)/) ?? []
  return kind !== undefined && !/\.(?:skip|todo|fails)$/.test(kind)
}

/** The faults of the promises. `sourceOf` returns undefined for a file that does not exist. */
export function faultsOf(promises: readonly Promised[], sourceOf: (file: string) => string | undefined): string[] {
  const faults = promises.filter(({ tests }) => tests.length === 0).map(({ sentence }) => `no test proves: ${sentence}`)
  for (const { file, title } of promises.flatMap(({ tests }) => tests)) {
    const source = sourceOf(file)
    if (source === undefined) faults.push(`there is no ${file}`)
    else if (!hasTest(source, title)) faults.push(`${file} has no test “${title}”`)
  }
  return faults
}
