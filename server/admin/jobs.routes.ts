import * as contract from '../../contract/admin-jobs.ts'
import { mount, type Http } from '../http/mount.ts'
import * as admin from './jobs.service.ts'
import type { AdminDeps } from './service.ts'

export function jobRoutes(http: Http, deps: AdminDeps) {
  mount(http, contract.adminListJobs, ({ query }) => admin.listJobs(deps, query))
  mount(http, contract.retryJob, ({ caller, params }) => admin.retryJob(deps, caller, params.id))
  mount(http, contract.discardJob, ({ caller, params }) => admin.discardJob(deps, caller, params.id))
}
