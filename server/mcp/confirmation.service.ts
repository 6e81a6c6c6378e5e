import type { AppCaller } from '../../contract/caller.ts'
import { findPerson, isSuspended } from '../accounts/service.ts'
import { nameOfApp } from '../oauth/apps.service.ts'
import { Failure } from '../platform/failure.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { sha256Text } from '../platform/secrets.ts'
import { consoleText } from '../platform/texts.ts'
import { findDailyLimits } from '../points/spending-limits.service.ts'
import type { Arguments, Tool } from './tools.rules.ts'

/** The state of a question. The client carries it to its next request; it is signed and valid for one call. */
export interface Question {
  /** The idempotency key of the call, unless the client sends one: a repeated answer moves points only once. */
  key: string
  /** A hash of the grant, the tool and its arguments. */
  about: string
}

/** Whether a tool call needs the person's consent: it moves points, and the person has set no daily limit (D-100). */
export async function mustAsk(db: Sql, { user_id, app_id }: AppCaller, { endpoint: { tool } }: Tool) {
  return tool !== 'reads' && !(await findDailyLimits(db, user_id)).has(app_id)
}

/** The subject of a question: the grant, the tool, and its arguments. */
export function subjectOf({ grant_id }: AppCaller, { name }: Tool, sent: Arguments) {
  const named = Object.keys(sent)
    .toSorted()
    .map((argument) => [argument, sent[argument]])
  return sha256Text(JSON.stringify([grant_id, name, named]))
}

/** The question in the person's language: the app, the amount, and the recipient. Fails with `user_not_found`. */
export async function questionFor(
  db: Sql,
  { user_id, app_id }: AppCaller,
  { endpoint: { tool } }: Tool,
  sent: Arguments,
) {
  const [app_name, person] = await Promise.all([nameOfApp(db, app_id), findPerson(db, user_id)])
  const language = person?.language ?? null
  const receiver = tool === 'pays_person' ? await usernameOf(db, String(sent.to_user_id)) : ''
  const facts = {
    app_name,
    receiver,
    amount: Number(sent.amount),
    has_description: typeof sent.description === 'string',
    description: typeof sent.description === 'string' ? sent.description : '',
  }
  return {
    message: consoleText(language, tool === 'pays_person' ? 'mcp.question.send' : 'mcp.question.spend', facts),
    answer: consoleText(language, 'mcp.question.yes', {}),
  }
}

async function usernameOf(db: Sql, user_id: string) {
  const [person, is_suspended] = await Promise.all([findPerson(db, user_id), isSuspended(db, user_id)])
  if (!person || is_suspended) throw new Failure('user_not_found', { user_id })
  return person.username
}
