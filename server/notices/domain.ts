import type { Domain, Platform } from '../domain.ts'
import { noticesJobs } from './jobs.ts'
import { noticeRoutes } from './routes.ts'

/** The inbox, and the mails about it. */
export const noticesDomain = ({ db, clock, mailer, public_url }: Platform): Domain => ({
  mount: (http) => noticeRoutes(http, { db, clock }),
  jobs: noticesJobs({ db, clock, issuer: public_url }, mailer),
})
