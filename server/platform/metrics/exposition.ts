import { AggregatorRegistry, collectDefaultMetrics, Registry, type Metric as LibraryMetric } from 'prom-client'
import { allMetrics, type Metric } from './metrics.ts'

export const metrics_content_type: string = Registry.PROMETHEUS_CONTENT_TYPE

let registry: Registry | undefined

/**
 * The registry of this process: our metrics, and the library's metrics of the process, its heap, event loop and garbage
 * collection. Our series do not use the library's counters, which take two microseconds for each call with labels.
 */
function processRegistry(): Registry {
  if (registry) return registry
  const opened = new Registry()
  for (const metric of allMetrics()) opened.registerMetric(asLibraryMetric(metric))
  collectDefaultMetrics({ register: opened })
  registry = opened
  return opened
}

/** The parts of a metric that the library reads, both for one process and for the sum of several. */
const asLibraryMetric = (metric: Metric) =>
  ({
    name: metric.options.name,
    get: async () => ({
      name: metric.options.name,
      help: metric.options.help,
      type: metric.kind,
      aggregator: metric.across,
      values: await metric.samples(),
    }),
  }) as unknown as LibraryMetric

/** Everything that this process measures, in Prometheus's text format. */
export const processMetrics = (): Promise<string> => processRegistry().metrics()

/** For a process of a cluster (`node:cluster`), which has no port: answers requests of its primary process. */
export function joinClusterMetrics() {
  AggregatorRegistry.setRegistries([processRegistry()])
  void new AggregatorRegistry()
}

/**
 * For the primary process of a cluster: the metrics of all its processes, combined as each metric declares. Fails if
 * one of them does not answer within 5 s.
 */
export function openClusterMetrics(): () => Promise<string> {
  const aggregator = new AggregatorRegistry()
  return () => aggregator.clusterMetrics()
}
