import type { AccountsDeps } from '../accounts/service.ts'
import type { Domain, Platform } from '../domain.ts'
import { sandboxJobs } from './jobs.ts'
import { mailKeys } from './mails.service.ts'
import { sandboxRoutes } from './routes.ts'

/** Play points, test persons and stored mails: the domain of an installation with `SANDBOX=on`. */
export const sandboxDomain = ({ db, clock, secrets }: Platform, accounts: AccountsDeps): Domain => ({
  mount: (http) => sandboxRoutes(http, accounts, { db, clock, keys: mailKeys(secrets) }),
  jobs: sandboxJobs({ db, clock }),
})
