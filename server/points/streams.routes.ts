import { decisions } from '../../contract/decisions.ts'
import { readPointEvents } from '../../contract/payments.ts'
import type { AppCaller } from '../../contract/caller.ts'
import { bearerToken } from '../http/bearer.ts'
import { mountStream } from '../http/mount-stream.ts'
import type { Http } from '../http/mount.ts'
import type { PointStreams, StreamStanding } from './streams.service.ts'

const { waiting_bytes_max: buffered_bytes_max, heartbeat_seconds } = decisions['D-80'].value
const { streams_max } = decisions['D-111'].value

/** Is this access token still good for the stream of this caller? */
export type StandingOf = (caller: AppCaller, token: string) => Promise<StreamStanding>

export function pointStreamRoutes(http: Http, streams: PointStreams, standingOf: StandingOf) {
  mountStream(
    http,
    readPointEvents,
    ({ caller, query, headers }) => {
      const { authorization } = headers as { authorization?: string }
      const token = bearerToken(authorization) ?? ''
      return streams.subscribe({
        caller,
        last_event_id: headers['last-event-id'] || query.last_event_id,
        standing: () => standingOf(caller, token),
      })
    },
    {
      buffered_bytes_max,
      streams_max,
      countedBy: ({ user_id, app_id }) => `${app_id} ${user_id}`,
      retry_after_seconds: heartbeat_seconds,
    },
  )
}
