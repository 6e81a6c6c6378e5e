/** Mantine's hashed class names. */
const mantine_class = /\.(m_[0-9a-f]+)/g

/** The index of the brace that closes the block opened at `open`. */
function endOfBlock(css: string, open: number) {
  let depth = 0
  for (let at = open; at < css.length; at++) {
    if (css[at] === '{') depth += 1
    else if (css[at] === '}' && --depth === 0) return at
  }
  return css.length
}

/** The selectors of a list: split at the commas outside brackets. */
function selectorsOf(list: string) {
  const selectors: string[] = []
  let [depth, from] = [0, 0]
  for (let at = 0; at < list.length; at++) {
    if ('(['.includes(list[at]!)) depth += 1
    else if (')]'.includes(list[at]!)) depth -= 1
    else if (list[at] === ',' && depth === 0) {
      selectors.push(list.slice(from, at))
      from = at + 1
    }
  }
  return [...selectors, list.slice(from)]
}

/** Whether all Mantine classes of the selector, outside brackets, are used. */
const canMatch = (selector: string, used: ReadonlySet<string>) =>
  [...selector.replaceAll(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '').matchAll(mantine_class)].every(([, name = '']) =>
    used.has(name),
  )

/**
 * A minified style sheet without the rules of Mantine classes that no script names. Mantine has one sheet for all
 * components, and the console uses half of them.
 */
export function withoutUnused(css: string, used: ReadonlySet<string>): string {
  let kept = ''
  for (let at = 0; at < css.length;) {
    const open = css.indexOf('{', at)
    const statement = css.indexOf(';', at)
    if (open < 0) return kept + css.slice(at)
    if (statement >= 0 && statement < open) {
      kept += css.slice(at, statement + 1)
      at = statement + 1
      continue
    }
    const close = endOfBlock(css, open)
    const head = css.slice(at, open)
    const body = css.slice(open + 1, close)
    if (/^@(?:media|supports|layer|container)/.test(head)) {
      const inner = withoutUnused(body, used)
      if (inner !== '') kept += `${head}{${inner}}`
    } else if (head.startsWith('@')) kept += css.slice(at, close + 1)
    else {
      const selectors = selectorsOf(head).filter((selector) => canMatch(selector, used))
      if (selectors.length > 0) kept += `${selectors.join(',')}{${body}}`
    }
    at = close + 1
  }
  return kept
}

/** The Mantine classes that scripts name. */
export const classesIn = (scripts: readonly string[]): ReadonlySet<string> =>
  new Set(scripts.flatMap((script) => [...script.matchAll(/\bm_[0-9a-f]+\b/g)].map(([name]) => name)))
