import { counter, histogram, type Count, type Distribution } from '../platform/metrics/metrics.ts'

const route =
  'the template of the path, such as `/api/external/points`; `unmatched` for paths without a route: the pages of the console and unknown paths'

const requests_total = counter({
  name: 'plaza_http_requests_total',
  help: 'Requests that were answered, or whose client has gone.',
  labels: { route, method: 'the method of the request', status: 'the status of the answer' },
})

const request_seconds = histogram({
  name: 'plaza_http_request_seconds',
  help: 'From the head of a request to the end of its answer; for an event stream, how long it was open.',
  labels: { route, method: 'the method of the request' },
  bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})

/** Counts the requests of one route and method. */
export class RouteMeter {
  private readonly labels: { route: string; method: string }
  private readonly by_status = new Map<number, Count>()
  private readonly seconds: Distribution

  constructor(labels: { route: string; method: string }) {
    this.labels = labels
    this.seconds = request_seconds.with(labels)
  }

  record(status: number, ms: number) {
    let count = this.by_status.get(status)
    if (!count) {
      count = requests_total.with({ ...this.labels, status: String(status) })
      this.by_status.set(status, count)
    }
    count.add()
    this.seconds.observe(ms / 1_000)
  }
}

const unmatched = new Map<string, RouteMeter>()

/** The meter of requests without a route. Node's parser accepts about thirty methods. */
export function unmatchedMeter(method: string): RouteMeter {
  const meter = unmatched.get(method) ?? new RouteMeter({ route: 'unmatched', method })
  unmatched.set(method, meter)
  return meter
}
