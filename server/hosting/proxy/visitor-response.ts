import { ServerResponse, type IncomingMessage } from 'node:http'

/** A response to a visitor, with the data for its counts. */
export class VisitorResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** The deployment whose request it answers. */
  deployment_id: string | undefined = undefined
  /** When it was begun, in milliseconds of `performance.now`. */
  readonly began_at = performance.now()
  /** When the container's headers were received; 0: not yet. */
  answered_at = 0
  /** Whether the router itself answers, in place of a container. */
  is_own = false
}
