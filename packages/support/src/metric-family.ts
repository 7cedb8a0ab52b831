export type MetricType = 'counter' | 'gauge' | 'histogram'
export type MetricLabels = Readonly<Record<string, string>>

/** What a metric is: a row of a definition table. `docs/reference/metrics.md` is generated from these. */
export interface MetricDefinition {
  /** The name in Prometheus. */
  readonly name: string
  /** Further names under which the same values are exported, for boards that other rules of the JMX exporter made. */
  readonly aliases?: readonly string[]
  readonly type: MetricType
  /** One sentence, with the meaning of the value. */
  readonly help: string
  /** Of the value: `seconds`, `bytes`, `milliseconds`; empty for a count, a ratio, or a state. */
  readonly unit: string
  readonly labels: readonly string[]
  /** The JMX bean and attribute that Kafka Connect or Debezium has instead; null for metrics of our own. */
  readonly bean: string | null
}

/** One value of a metric. */
export interface MetricSample {
  readonly labels: MetricLabels
  readonly value: number
}

/** Values counted by size. */
export interface HistogramSnapshot {
  readonly bounds: readonly number[]
  /** Values in each bucket, not cumulated; the last one counts those above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** One histogram of a metric. */
export interface MetricDistribution extends HistogramSnapshot {
  readonly labels: MetricLabels
}

/** All values of one metric at one time. Plain data: can be sent to another thread. */
export interface MetricFamily {
  readonly definition: MetricDefinition
  /** Empty for a histogram. */
  readonly samples: readonly MetricSample[]
  /** Empty unless the metric is a histogram. */
  readonly distributions: readonly MetricDistribution[]
}

/** Null: there is no value now. */
export type MetricReading = number | null | readonly MetricSample[] | HistogramSnapshot

/** A row of a definition table, with the way to read its values from the source `S`. */
export interface MetricRow<S> extends MetricDefinition {
  readonly read: (source: S) => MetricReading
}

/** Reads the metrics of a table. `labels` are on each value. A metric without a value is left out. */
export function readFamilies<S>(
  rows: readonly MetricRow<S>[],
  source: S,
  labels: MetricLabels,
): readonly MetricFamily[] {
  const families: MetricFamily[] = []
  for (const { read, ...definition } of rows) {
    const reading = read(source)
    if (reading === null) continue
    const family = familyOf(definition, reading, labels)
    if (family.samples.length + family.distributions.length > 0) families.push(family)
  }
  return families
}

function familyOf(
  definition: MetricDefinition,
  reading: Exclude<MetricReading, null>,
  labels: MetricLabels,
): MetricFamily {
  if (typeof reading === 'number') return { definition, samples: [{ labels, value: reading }], distributions: [] }
  if ('bounds' in reading) return { definition, samples: [], distributions: [{ ...reading, labels }] }
  const samples = reading.map((sample) => ({ labels: { ...labels, ...sample.labels }, value: sample.value }))
  return { definition, samples, distributions: [] }
}

/** Families of the same metric, from several tasks, become one. The order is that of the first occurrence. */
export function mergeFamilies(families: Iterable<MetricFamily>): readonly MetricFamily[] {
  const merged = new Map<string, MetricFamily>()
  for (const family of families) {
    const { name } = family.definition
    const known = merged.get(name)
    merged.set(name, known === undefined ? family : joined(known, family))
  }
  return [...merged.values()]
}

function joined(first: MetricFamily, second: MetricFamily): MetricFamily {
  return {
    definition: first.definition,
    samples: [...first.samples, ...second.samples],
    distributions: [...first.distributions, ...second.distributions],
  }
}
