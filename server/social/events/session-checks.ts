import type { UserCaller } from '../../../contract/caller.ts'
import type { Logger } from '../../platform/log.ts'
import { heartbeatFrame, sessionEndedFrame } from './frames.ts'
import type { Reader } from './reader.ts'

export interface SessionCheckParts {
  log: Logger
  heartbeat_seconds: number
  /** Whether the caller's login session is still valid. */
  isSignedIn(caller: UserCaller): Promise<boolean>
  /** Increases whenever a session ends. */
  invalidationVersion(): number
}

/** Opens the heartbeats, and the check of the login sessions behind the streams. */
export function openSessionChecks({ log, heartbeat_seconds, isSignedIn, invalidationVersion }: SessionCheckParts) {
  const heartbeat_ms = heartbeat_seconds * 1000
  let seen_version = invalidationVersion()

  /** Ends the stream if its session has ended; otherwise sends a due heartbeat. */
  async function check(reader: Reader, is_due: boolean) {
    try {
      const signed_in = await isSignedIn(reader.caller)
      if (!signed_in) reader.sink.end([sessionEndedFrame(reader.cursor)])
      else if (is_due) reader.sink.send([heartbeatFrame(reader.cursor)])
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'the session of a reader could not be checked: tried again shortly')
    }
  }

  /** Before a send, ends the stream if its session has ended. If the check fails, the stream is closed and may resume. */
  async function endIfOver(reader: Reader) {
    try {
      if (!(await isSignedIn(reader.caller))) reader.sink.end([sessionEndedFrame(reader.cursor)])
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'the session of a reader could not be checked: it is disconnected')
      reader.sink.end()
    }
  }

  return {
    check,
    endIfOver,
    /** Starts a round: returns the action for each reader. Sessions are checked at heartbeats and after sessions have ended. */
    beginRound() {
      const version = invalidationVersion()
      const is_changed = version !== seen_version
      seen_version = version
      return (reader: Reader) => {
        const is_due = reader.checked_ms <= performance.now() - heartbeat_ms
        if (is_due) reader.checked_ms = performance.now()
        if (is_due && reader.sink.stalledMs() > 2 * heartbeat_ms) reader.sink.end()
        else if (is_due || is_changed) void check(reader, is_due)
      }
    },
  }
}
