import { randomInt } from 'node:crypto'
import { decisions } from '../../contract/decisions.ts'
import { createTestAccount } from '../accounts/registration.service.ts'
import { getUser, type AccountsDeps } from '../accounts/service.ts'
import { beginSession } from '../accounts/sessions.service.ts'
import { Failure } from '../platform/failure.ts'
import { insertTestPerson, isMadeBy, listPersonsMadeBy } from './persons.store.ts'

const { test_persons_max: persons_max, test_person_domain } = decisions.sandbox

/** The test persons that the caller made, newest first. */
export const listPersons = ({ db }: AccountsDeps, made_by: string) =>
  listPersonsMadeBy(db, { made_by, rows_max: persons_max })

/** The default name of a test person. */
const newName = () =>
  `person-${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`

/**
 * Makes a test person for the caller: an account with a verified address in a domain that does not exist. Fails with `username_taken`,
 * `too_many_test_persons`, or `test_person_only` for a test person.
 */
export async function createPerson(
  deps: AccountsDeps,
  made_by: string,
  { username = newName() }: { username?: string },
) {
  const email = `${username.toLowerCase()}@${test_person_domain}`
  const user = await createTestAccount(deps, { email, username }, async (tx, user_id, now) => {
    const added = await insertTestPerson(tx, { user_id, made_by, now, persons_max })
    if (added === 'of_test_person') throw new Failure('test_person_only', { made_by })
    if (added === 'too_many') throw new Failure('too_many_test_persons', { made_by })
  })
  const [person] = (await listPersons(deps, made_by)).filter(({ id }) => id === user.id)
  if (!person) throw new Failure('not_found', { user_id: user.id })
  return person
}

/** Signs the caller in as a test person that the caller made. Fails with `not_found` or `account_suspended`. */
export async function signInAs(
  deps: AccountsDeps,
  { made_by, person_id }: { made_by: string; person_id: string },
  user_agent: string | undefined,
) {
  if (!(await isMadeBy(deps.db, { user_id: person_id, made_by }))) throw new Failure('not_found', { person_id })
  const user = await getUser(deps.db, person_id)
  if (user.suspended) throw new Failure('account_suspended', { person_id })
  const token = await beginSession(deps, deps.db, { user_id: user.id, password_hash: user.password_hash, user_agent })
  return { token, user }
}
