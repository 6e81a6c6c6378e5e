import { ServerResponse, type IncomingMessage } from 'node:http'

/** A response to a visitor, with the data for its counts. */
export class VisitorResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The deployment whose request it answers. */
  deployment_id: string | undefined = undefined
  /** The start of the request, in milliseconds of `performance.now`. */
  readonly began_at = performance.now()
  /** When the container's headers were received; 0: not yet. */
  answered_at = 0
  /** True if the router itself answers instead of a container. */
  is_own = false
}
