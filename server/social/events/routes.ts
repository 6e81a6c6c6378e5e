import { decisions } from '../../../contract/decisions.ts'
import * as contract from '../../../contract/social.ts'
import { mountStream } from '../../http/mount-stream.ts'
import type { Http } from '../../http/mount.ts'
import type { Events } from './dispatcher.ts'

const { waiting_bytes_max: buffered_bytes_max, streams_max, heartbeat_seconds } = decisions.event_streams

export function eventRoutes(http: Http, events: Events) {
  mountStream(
    http,
    contract.readEvents,
    ({ caller, query, headers }) =>
      events.subscribe(caller, {
        channel_ids: query.channels?.split(',') ?? [],
        notices: query.notices ?? false,
        balances: query.balances ?? false,
        last_event_id: headers['last-event-id'] || query.last_event_id,
      }),
    { buffered_bytes_max, streams_max, countedBy: ({ user_id }) => user_id, retry_after_seconds: heartbeat_seconds },
  )
}
