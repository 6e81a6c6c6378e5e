import * as contract from '../../contract/sandbox.ts'
import type { AccountsDeps } from '../accounts/service.ts'
import { mount, type Http } from '../http/mount.ts'
import { issuePlayPoints } from '../points/issuing.service.ts'
import { listMails, type MailsDeps } from './mails.service.ts'
import { createPerson, listPersons, signInAs } from './persons.service.ts'

/** The endpoints of a sandbox (D-102); other installations do not mount them. */
export function sandboxRoutes(http: Http, accounts: AccountsDeps, mails: MailsDeps) {
  mount(http, contract.takePlayPoints, ({ caller, body }) => issuePlayPoints(accounts, caller.user_id, body.amount))
  mount(http, contract.listMyMails, ({ caller, query }) => listMails(mails, caller.user_id, query))

  mount(http, contract.listTestPersons, async ({ caller }) => ({
    persons: await listPersons(accounts, caller.user_id),
  }))

  mount(http, contract.createTestPerson, async ({ caller, body }) => ({
    person: await createPerson(accounts, caller.user_id, body),
  }))

  mount(http, contract.signInAsTestPerson, ({ caller, params, headers }) =>
    signInAs(accounts, { made_by: caller.user_id, person_id: params.id }, headers['user-agent']),
  )
}
