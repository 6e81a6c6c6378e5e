import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import * as contract from '../../../contract/deployments.ts'
import { bearerToken } from '../../http/bearer.ts'
import type { EventStream } from '../../http/event-stream.ts'
import { mountStream } from '../../http/mount-stream.ts'
import type { Http } from '../../http/mount.ts'
import { followOutput, type OutputDeps, type OutputLine } from './output.service.ts'
import { getDeployment } from './service.ts'

const { heartbeat_seconds, waiting_bytes_max: buffered_bytes_max, streams_max } = decisions['D-64'].value
const stall_timeout_ms = 60_000

export function outputRoutes(http: Http, deps: OutputDeps) {
  mountStream(
    http,
    contract.followDeploymentOutput,
    async ({ caller, params, query, headers }) => {
      const abort = new AbortController()
      const lines = await followOutput(deps, caller, params.id, query.tail, abort.signal)
      const checkAccess = async () => {
        const now: AppActor = await http.authenticate.app(bearerToken(headers.authorization) ?? '')
        await getDeployment(deps, now, params.id)
      }
      return (stream) => {
        stream.onClose(() => abort.abort())
        startHeartbeat(stream, checkAccess, () => abort.abort())
        void writeLines(stream, lines)
      }
    },
    // Each stream holds a connection to the engine, opened on its first read; image pulls need connections too.
    { buffered_bytes_max, streams_max, countedBy: ({ app_id }) => app_id, retry_after_seconds: heartbeat_seconds },
  )
}

/** Writes each line when the stream has drained, and an `ended` event after the last one. */
async function writeLines(stream: EventStream, lines: AsyncIterable<OutputLine>) {
  stream.send([': \n\n'])
  try {
    for await (const line of lines) {
      stream.send([`event: line\ndata: ${JSON.stringify(line)}\n\n`])
      await stream.drained()
    }
    stream.end(['event: ended\ndata: {}\n\n'])
  } catch {
    stream.end()
  }
}

/** Sends heartbeats; ends the stream if its reader stalls, and aborts it if the token is not valid any more. */
function startHeartbeat(stream: EventStream, checkAccess: () => Promise<void>, abort: () => void) {
  const timer = setInterval(() => {
    if (stream.stalledMs() > stall_timeout_ms) stream.end()
    else if (stream.stalledMs() === 0) stream.send([': \n\n'])
    checkAccess().catch(abort)
  }, heartbeat_seconds * 1000)
  stream.onClose(() => clearInterval(timer))
}
