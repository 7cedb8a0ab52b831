import { unreachable, type MetricDistribution, type MetricFamily, type MetricLabels } from '@tributary/support'
import {
  Counter,
  Gauge,
  Histogram,
  Registry,
  type HistogramConfiguration,
  type OpenMetricsContentType,
  type PrometheusContentType,
} from 'prom-client'

export type MetricsFormat = 'prometheus' | 'openmetrics'

/** The text of the metrics, with its content type. */
export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/**
 * Writes metrics in a format of Prometheus. prom-client writes the text: names, escapes, numbers and the ends of
 * counters differ between the formats. Its instruments live for one call; the values come from the families.
 */
export async function expose(families: readonly MetricFamily[], format: MetricsFormat): Promise<Exposition> {
  const isOpen = format === 'openmetrics'
  const registry: AnyRegistry = isOpen ? openRegistry() : new Registry<PrometheusContentType>()
  for (const family of families) {
    const { name, aliases = [] } = family.definition
    for (const each of new Set([name, ...aliases])) register(each, family, registry)
  }
  return { contentType: registry.contentType, text: await registry.metrics() }
}

function openRegistry(): Registry<OpenMetricsContentType> {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return registry
}

type AnyRegistry = Registry<PrometheusContentType> | Registry<OpenMetricsContentType>

function register(name: string, { definition, samples, distributions }: MetricFamily, registry: AnyRegistry): void {
  const { type, help, labels } = definition
  const configuration = { name, help, labelNames: [...labels], registers: [registry] }
  switch (type) {
    case 'counter': {
      const counter = new Counter(configuration)
      for (const sample of samples) counter.inc(sample.labels, sample.value)
      return
    }
    case 'gauge': {
      const gauge = new Gauge(configuration)
      for (const sample of samples) gauge.set(sample.labels, sample.value)
      return
    }
    case 'histogram':
      registry.registerMetric(
        new CountedHistogram({ name, help, labelNames: [...labels], registers: [] }, distributions),
      )
      return
    default:
      unreachable(type)
  }
}

/** A sample of a histogram: of a bucket, the sum or the count. */
interface HistogramSample {
  readonly metricName: string
  readonly labels: MetricLabels
  readonly value: number
}

/** A histogram whose values were counted elsewhere: that of prom-client can only observe them one by one. */
class CountedHistogram extends Histogram {
  readonly #configuration: HistogramConfiguration<string>
  readonly #distributions: readonly MetricDistribution[]

  constructor(configuration: HistogramConfiguration<string>, distributions: readonly MetricDistribution[]) {
    super(configuration)
    this.#configuration = configuration
    this.#distributions = distributions
  }

  /** The registry of prom-client calls this method of its histograms, and `get` of other instruments. */
  async getForPromString(): Promise<{ name: string; help: string; type: 'histogram'; values: HistogramSample[] }> {
    const { name, help } = this.#configuration
    return {
      name,
      help,
      type: 'histogram',
      values: this.#distributions.flatMap((each) => histogramSamples(name, each)),
    }
  }
}

/** The buckets of the format are cumulated. */
function histogramSamples(name: string, { labels, bounds, counts, sum }: MetricDistribution): HistogramSample[] {
  let total = 0
  const buckets = counts.map((count, i) => {
    total += count
    const bound = bounds[i]
    const le = bound === undefined ? '+Inf' : String(bound)
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
