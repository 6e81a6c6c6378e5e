import { decisions } from '../../../contract/decisions.ts'
import * as contract from '../../../contract/deployments.ts'
import { mountStream } from '../../http/mount-stream.ts'
import { mount, type Http } from '../../http/mount.ts'
import { writeItems } from '../../http/write-items.ts'
import type { OutputFollower } from './output-follower.service.ts'
import { readOutput, searchOutput } from './output.service.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'

const { heartbeat_seconds, waiting_bytes_max: buffered_bytes_max, streams_max } = decisions.container_output

export type OutputDeps = DeploymentsDeps & { output: OutputFollower }

export function outputRoutes(http: Http, deps: OutputDeps) {
  mount(http, contract.getDeploymentOutput, async ({ caller, params, query }) => ({
    lines: await readOutput(deps, caller, params.id, query.tail),
  }))
  mount(http, contract.searchDeploymentOutput, ({ caller, params, query }) =>
    searchOutput(deps, caller, params.id, query),
  )
  mountStream(
    http,
    contract.followDeploymentOutput,
    async ({ caller, params, query }, mayRead) => {
      const { id } = await getDeployment(deps, caller, params.id)
      const open = (signal: AbortSignal) => deps.output.follow(id, query.tail, signal)
      return (stream) => writeItems(stream, { event: 'line', open, mayRead, heartbeat_seconds })
    },
    { buffered_bytes_max, streams_max, countedBy: ({ app_id }) => app_id, retry_after_seconds: heartbeat_seconds },
  )
}
