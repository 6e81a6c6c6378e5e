import { adminListDeployments } from '../../../contract/admin-deployments.ts'
import { adminListJobs } from '../../../contract/admin-jobs.ts'
import { adminListUsers, countPending, getFigures } from '../../../contract/admin.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { readAhead } from '../../api/hooks.ts'
import { mayNow } from '../../session/rights.tsx'

/** The inputs of the overview's reads, which start while its chunk is loading. */
export const overview_inputs = {
  deployments: { query: { limit: 100 } },
  jobs: { query: { limit: 1 } },
  changes: { query: { limit: 8 } },
  users: { query: { limit: 8 } },
}

export const readOverviewFirst = () =>
  Promise.all([
    readAhead(countPending, {}),
    readAhead(getFigures, {}),
    mayNow(adminListDeployments) && readAhead(adminListDeployments, overview_inputs.deployments),
    mayNow(adminListJobs) && readAhead(adminListJobs, overview_inputs.jobs),
    mayNow(listAudit) && readAhead(listAudit, overview_inputs.changes),
    mayNow(adminListUsers) && readAhead(adminListUsers, overview_inputs.users),
  ])
