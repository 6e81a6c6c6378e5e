import { decisions } from '../../../contract/decisions.ts'
import { createDeployment } from '../../../contract/deployments.ts'

/** One variable of an environment, as it is typed. */
export interface Variable {
  name: string
  value: string
}

const { keys_max, value_bytes_max, total_bytes_max } = decisions['D-60'].value
const { propertyNames } = createDeployment.body.properties.env_vars as unknown as { propertyNames: { pattern: string } }
const name_pattern = new RegExp(propertyNames.pattern)

const bytesOf = (text: string) => new TextEncoder().encode(text).length

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
const unescaped = (text: string) => text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)

/**
 * Reads a .env file: `NAME=value` a line, `export` and comments allowed, values in quotes may have several lines. What is
 * no assignment is passed over; a name that comes twice has its last value.
 */
export function parseEnv(text: string): Variable[] {
  const assignment =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(?:(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)')[ \t]*(?:#[^\r\n]*)?|([^\r\n]*))$/gm
  const found = new Map<string, string>()
  for (const [, name = '', double, single, bare = ''] of text.matchAll(assignment))
    found.set(name, double === undefined ? (single ?? bareValue(bare)) : unescaped(double))
  return [...found].map(([name, value]) => ({ name, value }))
}

/** Of a value without quotes a comment begins only behind a space. */
const bareValue = (text: string) => text.replace(/(?:^|\s)#.*$/, '').trim()

/** The variables with those of a file put in; what was there under the same name gives way. */
export const mergeVariables = (variables: readonly Variable[], added: readonly Variable[]) => [
  ...variables.filter(({ name }) => name !== '' && !added.some((other) => other.name === name)),
  ...added,
]

/** What is wrong with one variable, in words. */
export function variableError({ name, value }: Variable, all: readonly Variable[]): string | undefined {
  if (name === '') return value === '' ? undefined : 'Give it a name.'
  if (!name_pattern.test(name)) return 'Letters, digits and _ only, and no digit first.'
  if (all.filter((other) => other.name === name).length > 1) return 'This name comes twice.'
  if (name === 'PORT') return 'Plaza sets PORT itself, to the port above: leave it out.'
  if (bytesOf(value) > value_bytes_max) return `The value is longer than ${value_bytes_max / 1024} KiB.`
  return undefined
}

/** What is wrong with an environment as a whole. */
export function environmentError(variables: readonly Variable[]): string | undefined {
  const named = variables.filter(({ name }) => name !== '')
  if (named.length > keys_max) return `At most ${keys_max} variables; these are ${named.length}.`
  const total = named.reduce((sum, { name, value }) => sum + bytesOf(name) + bytesOf(value), 0)
  if (total > total_bytes_max) return `Together they are larger than ${total_bytes_max / 1024} KiB.`
  return variables.some((variable) => variableError(variable, variables) !== undefined)
    ? 'Some variables are not as they should be.'
    : undefined
}

export const toEnvVars = (variables: readonly Variable[]) =>
  Object.fromEntries(variables.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]))
