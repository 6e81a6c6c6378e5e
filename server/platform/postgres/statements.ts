import type pg from 'pg'
import { isStalePlan } from './errors.ts'

/**
 * Runs one SQL statement, written as a tagged template; its values become parameters. Where it meets a lock that is not to
 * be had within a second or so, it fails with `overloaded`.
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

/** A template's text with $1, $2, … and the name under which every connection prepares it once. */
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
 * Sends a template to a connection that has prepared it, or prepares it now. Where a migration changed what it answers,
 * it fails with what `isStalePlan` tells, and is prepared anew, under another name, when it is sent again.
 */
export async function send<Row extends object>(
  client: { query: pg.ClientBase['query'] },
  strings: TemplateStringsArray,
  values: unknown[],
): Promise<Row[]> {
  const statement = statementOf(strings)
  const { name } = statement
  try {
    const result = await client.query<Row>({ ...statement, values })
    return result.rows
  } catch (error) {
    if (isStalePlan(error) && statement.name === name) statement.name = newName()
    throw error
  }
}
