import type pg from 'pg'
import { isStalePlan } from './errors.ts'

/**
 * Runs one SQL statement, written as a tagged template; its values become parameters. Fails with `overloaded` if a lock cannot be taken
 * within about a second.
 */
export interface Sql {
  sql<Row extends object>(text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
}

interface Statement {
  name: string
  text: string
}
const statements = new WeakMap<TemplateStringsArray, Statement>()
let names_made = 0
const newName = () => `s${++names_made}`

/** A template's text with $1, $2, … and the name under which each connection prepares it. */
export function statementOf(strings: TemplateStringsArray): Statement {
  let statement = statements.get(strings)
  if (!statement) {
    const text = strings.reduce((head, part, at) => `${head}$${at}${part}`)
    statement = { name: newName(), text }
    statements.set(strings, statement)
  }
  return statement
}

/**
 * Executes a template on a connection, which prepares it the first time. Fails as `isStalePlan` describes if a migration has changed its
 * columns; sent again, it is prepared under a new name.
 */
export async function send<Row extends object>(
  client: { query: pg.ClientBase['query'] },
  strings: TemplateStringsArray,
  values: unknown[],
  more: { query_timeout?: number } = {},
): Promise<Row[]> {
  const statement = statementOf(strings)
  const { name } = statement
  try {
    const result = await client.query<Row>({ ...statement, ...more, values })
    return result.rows
  } catch (error) {
    if (isStalePlan(error) && statement.name === name) statement.name = newName()
    throw error
  }
}
