import { decisions } from '../../contract/decisions.ts'
import * as contract from '../../contract/admin-deployments.ts'
import type { OutputFollower } from '../hosting/api/output-follower.service.ts'
import type { DeploymentsDeps } from '../hosting/api/service.ts'
import { mountStream } from '../http/mount-stream.ts'
import { mount, type Http } from '../http/mount.ts'
import { writeItems } from '../http/write-items.ts'
import * as admin from './deployments.service.ts'
import type { AdminDeps } from './service.ts'

const { heartbeat_seconds, waiting_bytes_max: buffered_bytes_max, streams_max } = decisions.container_output

type HostingDeps = DeploymentsDeps & { output: OutputFollower }

export function hostingRoutes(http: Http, deps: AdminDeps, hosting: HostingDeps) {
  oneDeploymentRoutes(http, deps, hosting)

  mount(http, contract.adminListDeployTiers, ({ query }) => admin.listTiers(deps, query))
  mount(http, contract.createDeployTier, ({ caller, body }) => admin.addTier(deps, caller, body))

  mount(http, contract.updateDeployTier, ({ caller, params, body }) => admin.updateTier(deps, caller, params.id, body))

  mount(http, contract.adminListDeployments, ({ query }) => admin.listDeployments(deps, query))

  mount(http, contract.listContainerHosts, () => admin.listContainerHosts(deps))

  mount(http, contract.suspendDeployment, ({ caller, params, body }) =>
    admin.suspendDeployment(deps, caller, params.id, body),
  )

  mount(http, contract.reactivateDeployment, ({ caller, params, body }) =>
    admin.reactivateDeployment(deps, caller, params.id, body),
  )

  mount(http, contract.recordDeploymentPayment, ({ caller, params, body }) =>
    admin.payDeployment(deps, caller, params.id, body),
  )
}

/** One deployment, as its owner sees it (D-110). */
function oneDeploymentRoutes(http: Http, deps: AdminDeps, hosting: HostingDeps) {
  mount(http, contract.adminGetDeployment, ({ params }) => admin.getDeployment(deps, params.id))
  mount(http, contract.adminListDeployLog, async ({ params }) => ({ logs: await admin.listLog(deps, params.id) }))

  mount(http, contract.adminListDeploymentReleases, async ({ params }) => ({
    releases: await admin.listReleases(hosting, params.id),
  }))

  mount(http, contract.adminRollBackDeployment, ({ caller, params, body }) =>
    admin.rollBack(deps, hosting, caller, params.id, body),
  )

  mount(http, contract.adminGetDeploymentMetrics, ({ params, query }) =>
    admin.readMetrics(hosting, params.id, query.period),
  )

  mount(http, contract.adminGetDeploymentOutput, async ({ caller, params, query }) => ({
    lines: await admin.readOutput(deps, caller, params.id, query.tail),
  }))

  mount(http, contract.adminSearchDeploymentOutput, ({ caller, params, query }) =>
    admin.searchOutput(deps, caller, params.id, query),
  )

  mountStream(
    http,
    contract.adminFollowDeploymentOutput,
    async ({ caller, params, query }, mayRead) => {
      const { id } = await admin.lookAtOutput(deps, caller, params.id, 'stream')
      const open = (signal: AbortSignal) => hosting.output.follow(id, query.tail, signal)
      return (stream) => writeItems(stream, { event: 'line', open, mayRead, heartbeat_seconds })
    },
    { buffered_bytes_max, streams_max, countedBy: ({ user_id }) => user_id, retry_after_seconds: heartbeat_seconds },
  )
}
