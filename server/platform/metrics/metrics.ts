/**
 * The metrics of this process. Metrics are module-level values beside the code that they measure, one set per process;
 * `docs/operating/metrics.md` is printed from them. Labels take values from code or settings only: never a user, a
 * token, an address or anything else without a limit.
 */
export interface MetricOptions<Label extends string> {
  name: string
  /** One sentence for operators. */
  help: string
  /** The values of each label. */
  labels?: Readonly<Record<Label, string>>
}

export type Labels<Label extends string> = Readonly<Record<Label, string>>

export interface Sample {
  labels: Readonly<Record<string, string | number>>
  value: number
  /** With the suffix of a histogram's series. Default: the metric's own name. */
  metricName?: string
}

/** How values of several sources, or of several processes on one port, are combined. */
export type Across = 'sum' | 'max' | 'min'

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly options: MetricOptions<string>
  readonly across: Across
  samples(): Sample[] | Promise<Sample[]>
}

const metrics = new Map<string, Metric>()

/** Every metric of the loaded modules, by name. */
export const allMetrics = (): Metric[] =>
  [...metrics.values()].sort((a, b) => (a.options.name < b.options.name ? -1 : 1))

function register<M extends Metric>(metric: M): M {
  const { name } = metric.options
  if (metrics.has(name)) throw new Error(`the metric ${name} is defined twice`)
  metrics.set(name, metric)
  return metric
}

/** The cells of a metric by their labels. Hot paths should keep their cell, because finding it costs more than counting. */
class Cells<Label extends string, Cell> {
  private readonly cells = new Map<string, { labels: Labels<Label>; cell: Cell }>()
  private readonly names: readonly Label[]
  private readonly create: () => Cell

  constructor({ labels }: MetricOptions<Label>, create: () => Cell) {
    this.names = Object.keys(labels ?? {}) as Label[]
    this.create = create
    // Without labels there is one series from the start, so that an alert on its increase sees the first one.
    if (this.names.length === 0) this.of({} as Labels<Label>)
  }

  of(labels: Labels<Label>): Cell {
    const key = this.names.map((name) => labels[name]).join('\n')
    const found = this.cells.get(key)
    if (found) return found.cell
    const cell = this.create()
    this.cells.set(key, { labels: { ...labels }, cell })
    return cell
  }

  all = () => [...this.cells.values()]
}

/** A number that code changes. */
export class Count {
  value = 0
  add(by = 1) {
    this.value += by
  }
}

class CountedMetric<Label extends string> implements Metric {
  readonly kind: 'counter' | 'gauge'
  readonly options: MetricOptions<Label>
  readonly across = 'sum'
  private readonly cells: Cells<Label, Count>

  constructor(kind: 'counter' | 'gauge', options: MetricOptions<Label>) {
    this.kind = kind
    this.options = options
    this.cells = new Cells(options, () => new Count())
  }

  with(labels: Labels<Label>) {
    return this.cells.of(labels)
  }

  samples() {
    return this.cells.all().map(({ labels, cell }) => ({ labels, value: cell.value }))
  }
}

/** A number that only increases. Its name ends in `_total`. */
export const counter = <Label extends string = never>(options: MetricOptions<Label>) =>
  register(new CountedMetric<Label>('counter', options))

/** A number that increases and decreases, such as the length of a queue. */
export const level = <Label extends string = never>(options: MetricOptions<Label>) =>
  register(new CountedMetric<Label>('gauge', options))

/** The observations of one series of a histogram. */
export class Distribution {
  private readonly bounds: readonly number[]
  /** Observations by bucket, not cumulative. The last bucket is for observations above all bounds. */
  private readonly counts: number[]
  private sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number) {
    let at = 0
    while (at < this.bounds.length && value > this.bounds[at]!) at++
    this.counts[at]!++
    this.sum += value
  }

  isEmpty = () => this.counts.every((count) => count === 0)

  samples(name: string, labels: Readonly<Record<string, string>>): Sample[] {
    let count = 0
    const buckets = this.counts.map((in_bucket, at) => {
      count += in_bucket
      return { metricName: `${name}_bucket`, labels: { le: this.bounds[at] ?? '+Inf', ...labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
}

/** Bounds in seconds, for durations from half a millisecond to half a minute. */
const seconds_bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

class HistogramMetric<Label extends string> implements Metric {
  readonly kind = 'histogram'
  readonly options: MetricOptions<Label>
  readonly across = 'sum'
  private readonly cells: Cells<Label, Distribution>

  constructor({ bounds, ...options }: HistogramOptions<Label>) {
    this.options = options
    this.cells = new Cells(options, () => new Distribution(bounds ?? seconds_bounds))
  }

  with(labels: Labels<Label>) {
    return this.cells.of(labels)
  }

  samples() {
    // A series with labels is left out until it is used: one series for each route would be a megabyte of zeros.
    const used = this.cells.all().filter(({ labels, cell }) => Object.keys(labels).length === 0 || !cell.isEmpty())
    return used.flatMap(({ labels, cell }) => cell.samples(this.options.name, labels))
  }
}

interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper bounds of the buckets, ascending. Default: bounds for durations in seconds. */
  bounds?: readonly number[]
}

/** The distribution of observations. Its name ends in its unit. */
export const histogram = <Label extends string = never>(options: HistogramOptions<Label>) =>
  register(new HistogramMetric<Label>(options))

/** The values of a source: one, one for each set of labels, or none. */
export type Reading<Label extends string> = number | undefined | readonly { labels: Labels<Label>; value: number }[]

type Source<Label extends string> = () => Reading<Label> | Promise<Reading<Label>>

/** A readiness check may take 3 s; Prometheus waits 10 s for a scrape. */
const source_ms = 4_000

class GaugeMetric<Label extends string> implements Metric {
  readonly kind = 'gauge'
  readonly options: MetricOptions<Label>
  readonly across: Across
  private readonly sources = new Set<Source<Label>>()

  constructor({ across, ...options }: GaugeOptions<Label>) {
    this.options = options
    this.across = across
  }

  /**
   * Reads this source at every scrape, until the returned function is called. A source that fails, or takes longer than
   * 4 s, provides no values.
   */
  read(source: Source<Label>): () => void {
    this.sources.add(source)
    return () => void this.sources.delete(source)
  }

  async samples() {
    const readings = await Promise.all([...this.sources].map(readInTime))
    const by_labels = new Map<string, Sample>()
    for (const sample of readings.flatMap(samplesOf)) {
      const key = JSON.stringify(Object.values(sample.labels))
      const known = by_labels.get(key)
      by_labels.set(key, known ? { ...known, value: combine[this.across](known.value, sample.value) } : sample)
    }
    return [...by_labels.values()]
  }
}

const combine: Record<Across, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
}

const samplesOf = (reading: Reading<string>): readonly Sample[] => {
  if (reading === undefined) return []
  return typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading
}

async function readInTime(source: Source<string>): Promise<Reading<string>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, source_ms, undefined)
  })
  const reading = (async () => source())().catch(() => undefined)
  return Promise.race([reading, late]).finally(() => clearTimeout(timer))
}

interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  across: Across
}

/** A state that is read at every scrape. */
export const gauge = <Label extends string = never>(options: GaugeOptions<Label>) =>
  register(new GaugeMetric<Label>(options))
