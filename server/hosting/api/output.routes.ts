import type { AppCaller } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import * as contract from '../../../contract/deployments.ts'
import { bearerToken } from '../../http/bearer.ts'
import type { EventStream } from '../../http/event-stream.ts'
import { mountStream } from '../../http/mount-stream.ts'
import type { Http } from '../../http/mount.ts'
import type { LogLine } from '../engine/engine.ts'
import { followOutput, type OutputDeps } from './output.service.ts'
import { getDeployment } from './service.ts'

const { heartbeat_seconds, waiting_bytes_max: buffered_bytes_max, streams_max } = decisions['D-64'].value
const stalled_max_ms = 60_000

export function outputRoutes(http: Http, deps: OutputDeps) {
  mountStream(
    http,
    contract.followDeploymentOutput,
    async ({ caller, params, query, headers }) => {
      const abort = new AbortController()
      const lines = await followOutput(deps, caller, params.id, query.tail, abort.signal)
      const mayStillRead = async () => {
        const now: AppCaller = await http.authenticate.app(bearerToken(headers.authorization) ?? '')
        await getDeployment(deps, now, params.id)
      }
      return (stream) => {
        stream.onClose(() => abort.abort())
        keepAlive(stream, mayStillRead, () => abort.abort())
        void pass(stream, lines)
      }
    },
    // Each holds a connection to the engine, which pulls of images need too; none is made before it is read from.
    { buffered_bytes_max, streams_max, countedBy: ({ app_id }) => app_id, retry_after_seconds: heartbeat_seconds },
  )
}

/** Writes each line when the reader has room for it, and says when there are no more. */
async function pass(stream: EventStream, lines: AsyncIterable<LogLine>) {
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

/** Gives signs of life, and ends what may be read no longer or is not read at all. */
function keepAlive(stream: EventStream, mayStillRead: () => Promise<void>, finish: () => void) {
  const timer = setInterval(() => {
    if (stream.stalledMs() > stalled_max_ms) stream.end()
    else if (stream.stalledMs() === 0) stream.send([': \n\n'])
    mayStillRead().catch(finish)
  }, heartbeat_seconds * 1000)
  stream.onClose(() => clearInterval(timer))
}
