// A benchmark loads this into the service. It replies to each message.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolution_ms = 1
const delay = monitorEventLoopDelay({ resolution: resolution_ms })

const answers = {
  /** Microseconds of processor time used so far. */
  'processor time'() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  /** The delay of the event loop in milliseconds that 99.9 % of the samples since the last such message did not exceed. */
  'event-loop delay'() {
    delay.disable()
    const late = delay.percentile(99.9) / 1e6 - resolution_ms
    delay.reset()
    delay.enable()
    return Math.max(0, late)
  },
}
process.on('message', (name) => process.send?.(answers[name]()))
process.channel?.unref()
