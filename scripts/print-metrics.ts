// Every module of the service defines its metrics when it is loaded.
import '../server/processes/start.ts'
import { allMetrics, type Metric } from '../server/platform/metrics/metrics.ts'

const intro = `# Metrics

Printed from the code by \`npm run print\`. Names, labels and meanings are stable: CHANGELOG.md announces every removed or
changed series.

Metrics are off until \`METRICS_PORT\` is set. \`GET http://METRICS_HOST:METRICS_PORT/metrics\` then answers in Prometheus's text format,
on a separate port, by default on the loopback interface only, because there is no login. For a Prometheus on another machine, set
\`METRICS_HOST\` to an address of a private network. Several processes on one machine need a port each; those of one \`PROCESSES\` share
one port, which combines their series as *processes* states.

\`\`\`sh id=scrape
curl --silent http://127.0.0.1:9464/metrics
\`\`\`

No label contains a user, a token, an address or another unbounded value. Series of the whole installation (*max* or *min*) are the
same in every process: use \`max by (…)\` over them, never \`sum\`. A value that cannot be read within 4 s, such as the jobs while the
database is unavailable, is absent from that scrape.

\`deploy/\` has a configuration for [Prometheus](../../deploy/prometheus/prometheus.yml), [alerts](alerts.md), and a
[dashboard for Grafana](../../deploy/grafana/dashboard.json).

In addition, prom-client provides series of the process, its memory, event loop and garbage collection: \`process_…\` and
\`nodejs_…\`.
`

/** The documentation of all metrics, by name. */
export const printMetrics = () => `${intro}\n${allMetrics().map(printMetric).join('\n')}`

function printMetric({ kind, options, across }: Metric) {
  const labels = Object.entries(options.labels ?? {}).map(([name, holds]) => `- label \`${name}\`: ${holds}\n`)
  const facts = kind === 'gauge' ? `${kind}, processes: ${across}` : kind
  return `## ${options.name}\n\n${options.help} (${facts})\n${labels.length > 0 ? `\n${labels.join('')}` : ''}`
}
