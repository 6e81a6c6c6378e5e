import { decisions } from '../../../contract/decisions.ts'
import { createDeployment } from '../../../contract/deployments.ts'
import { t } from '../../texts.ts'

export interface Variable {
  name: string
  value: string
}

const { keys_max, value_bytes_max, total_bytes_max } = decisions.environment
const { propertyNames } = createDeployment.body.properties.env_vars as unknown as { propertyNames: { pattern: string } }
const name_pattern = new RegExp(propertyNames.pattern)

const bytesOf = (text: string) => new TextEncoder().encode(text).length

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
const unescaped = (text: string) => text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)

/**
 * Parses a .env file: `NAME=value` per line, with `export` and comments; quoted values may have several lines. Lines
 * without an assignment are ignored; the last value of a repeated name wins.
 */
export function parseEnv(text: string): Variable[] {
  const assignment =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(?:(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)')[ \t]*(?:#[^\r\n]*)?|([^\r\n]*))$/gm
  const found = new Map<string, string>()
  for (const [, name = '', double, single, bare = ''] of text.matchAll(assignment))
    found.set(name, double === undefined ? (single ?? bareValue(bare)) : unescaped(double))
  return [...found].map(([name, value]) => ({ name, value }))
}

/** In an unquoted value, a comment must follow whitespace. */
const bareValue = (text: string) => text.replace(/(?:^|\s)#.*$/, '').trim()

/** Merges variables; added ones replace those with the same name. */
export const mergeVariables = (variables: readonly Variable[], added: readonly Variable[]) => [
  ...variables.filter(({ name }) => name !== '' && !added.some((other) => other.name === name)),
  ...added,
]

export function variableError({ name, value }: Variable, all: readonly Variable[]): string | undefined {
  if (name === '') return value === '' ? undefined : t('common.give-it-a-name')
  if (!name_pattern.test(name)) return t('deployments.env.letters-digits-and-only-and-no')
  if (all.filter((other) => other.name === name).length > 1) return t('deployments.env.this-name-comes-twice')
  if (name === 'PORT') return t('deployments.env.plaza-sets-port-itself-to-the')
  if (bytesOf(value) > value_bytes_max)
    return t('deployments.env.the-value-is-longer-than-kib', { value_bytes_max: value_bytes_max / 1024 })
  return undefined
}

/** The error of the environment as a whole. */
export function environmentError(variables: readonly Variable[]): string | undefined {
  const named = variables.filter(({ name }) => name !== '')
  if (named.length > keys_max)
    return t('deployments.env.at-most-variables-these-are', { keys_max, count: named.length })
  const total = named.reduce((sum, { name, value }) => sum + bytesOf(name) + bytesOf(value), 0)
  if (total > total_bytes_max)
    return t('deployments.env.together-they-are-larger-than-kib', { total_bytes_max: total_bytes_max / 1024 })
  return variables.some((variable) => variableError(variable, variables) !== undefined)
    ? t('deployments.env.some-variables-have-errors')
    : undefined
}

export const toEnvVars = (variables: readonly Variable[]) =>
  Object.fromEntries(variables.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]))
