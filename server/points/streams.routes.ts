import { decisions } from '../../contract/decisions.ts'
import { readPointEvents } from '../../contract/payments.ts'
import type { AppCaller } from '../../contract/caller.ts'
import { mountStream } from '../http/mount-stream.ts'
import type { Http } from '../http/mount.ts'
import type { PointStreams, StreamStanding } from './streams.service.ts'

const { waiting_bytes_max: buffered_bytes_max, heartbeat_seconds } = decisions.event_streams
const { streams_max } = decisions.point_streams

/** The state of this caller's stream; `mayRead` checks that its access token is still valid. */
export type StandingOf = (caller: AppCaller, mayRead: () => Promise<boolean>) => Promise<StreamStanding>

export function pointStreamRoutes(http: Http, streams: PointStreams, standingOf: StandingOf) {
  mountStream(
    http,
    readPointEvents,
    ({ caller, query, headers }, mayRead) =>
      streams.subscribe({
        caller,
        last_event_id: headers['last-event-id'] || query.last_event_id,
        standing: (reading) => standingOf(caller, () => mayRead(reading)),
      }),
    {
      buffered_bytes_max,
      streams_max,
      countedBy: ({ user_id, app_id }) => `${app_id} ${user_id}`,
      retry_after_seconds: heartbeat_seconds,
    },
  )
}
