import { AggregatorRegistry, collectDefaultMetrics, Registry, type Metric as LibraryMetric } from 'prom-client'
import { allMetrics, type Metric } from './metrics.ts'

export const metrics_content_type: string = Registry.PROMETHEUS_CONTENT_TYPE

let registry: Registry | undefined

/**
 * The registry of this process: our metrics, and those of the library for the process, its heap, event loop and garbage
 * collection. Our series are counted without the library, whose counting costs two microseconds for each call with labels.
 */
function processRegistry(): Registry {
  if (registry) return registry
  const opened = new Registry()
  for (const metric of allMetrics()) opened.registerMetric(asLibraryMetric(metric))
  collectDefaultMetrics({ register: opened })
  registry = opened
  return opened
}

/** The parts of a metric that the library reads, for one process and for the sum of several. */
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

/** For a process of a cluster (`node:cluster`): answers requests of its primary process, and has no port. */
export function joinClusterMetrics() {
  AggregatorRegistry.setRegistries([processRegistry()])
  void new AggregatorRegistry()
}

/**
 * For the primary process of a cluster: what all its processes measure, added up as each metric says. Fails when one of them
 * does not answer within 5 s.
 */
export function openClusterMetrics(): () => Promise<string> {
  const aggregator = new AggregatorRegistry()
  return () => aggregator.clusterMetrics()
}
