import * as contract from '../../contract/admin-reviews.ts'
import { mount, type Http } from '../http/mount.ts'
import { decide, reviewList } from './reviews.service.ts'
import type { AdminDeps } from './service.ts'

export function reviewRoutes(http: Http, deps: AdminDeps) {
  mount(http, contract.adminListReviews, ({ query }) => reviewList(deps, query))
  mount(http, contract.approveReview, ({ caller, params }) => decide(deps, caller, params.id, { status: 'approved' }))
  mount(http, contract.rejectReview, ({ caller, params, body }) =>
    decide(deps, caller, params.id, { ...body, status: 'rejected' }),
  )
}
