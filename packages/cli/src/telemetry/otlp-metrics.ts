import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type HistogramMetricData,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import type { MetricDistribution, MetricFamily } from '@tributary/support'

export interface OtlpMetricsOptions {
  /** The attributes of the resource. */
  readonly attributes: Readonly<Record<string, string>>
  readonly version: string
  /** When the counters began, and now; milliseconds since 1970. */
  readonly startMs: number
  readonly nowMs: number
}

/**
 * Our metrics in the types of OpenTelemetry, whose library encodes them. Names and labels are those of `/metrics`; a
 * counter keeps its `_total`.
 */
export function otlpMetrics(families: readonly MetricFamily[], options: OtlpMetricsOptions): ResourceMetrics {
  const { attributes, version } = options
  const metrics = families.map((family) => metricOf(family, options)).filter(({ dataPoints }) => dataPoints.length > 0)
  return {
    resource: resourceFromAttributes(attributes),
    scopeMetrics: [{ scope: { name: 'tributary', version }, metrics }],
  }
}

function metricOf({ definition, samples, distributions }: MetricFamily, options: OtlpMetricsOptions): MetricData {
  const { name, help: description, type, unit } = definition
  const head = {
    descriptor: { name, description, unit: unitOf(name, unit), valueType: DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const times = { startTime: timeOf(options.startMs), endTime: timeOf(options.nowMs) }
  if (type === 'histogram') {
    const dataPoints = distributions.map((each) => ({ ...histogramPoint(each), ...times }))
    return { ...head, dataPointType: DataPointType.HISTOGRAM, dataPoints } satisfies HistogramMetricData
  }
  // JSON cannot represent NaN and infinite numbers.
  const known = samples.filter(({ value }) => Number.isFinite(value))
  const dataPoints = known.map(({ labels: attributes, value }) => ({ attributes, value, ...times }))
  if (type === 'gauge') return { ...head, dataPointType: DataPointType.GAUGE, dataPoints }
  return { ...head, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
}

/** `ValueType.DOUBLE` of @opentelemetry/api, which is not loaded for it. */
const DOUBLE = 1

/** The counts are those of the buckets, one more than there are bounds. */
function histogramPoint({
  labels,
  bounds,
  counts,
  sum,
}: MetricDistribution): Pick<DataPoint<Histogram>, 'attributes' | 'value'> {
  const count = counts.reduce((before, each) => before + each, 0)
  return { attributes: labels, value: { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count } }
}

/** The Unified Code for Units of Measure, which OpenTelemetry uses. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By' }

/** Only for a name that contains its unit: Prometheus appends it to others, and boards would not find them. */
function unitOf(name: string, unit: string): string {
  return name.includes(`_${unit}`) ? (UNITS[unit] ?? '') : ''
}

/** Seconds and nanoseconds since 1970. */
function timeOf(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
}
