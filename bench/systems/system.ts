/** A change data capture service with Kafka Connect's REST interface. */
export interface System {
  /** The name in `--systems` and in the table: letters and hyphens. */
  readonly name: string
  readonly kind: 'tributary' | 'reference'
  /** Added to the configuration of each of its connectors. */
  readonly connector: Readonly<Record<string, string>>
  /** Added to the properties of its worker. */
  readonly worker: Readonly<Record<string, string>>
  /** The system writes in transactions: its topics have control records besides those of the connector. */
  readonly isTransactional?: boolean
}

/** The packed release with its defaults. */
export const tributary: System = { name: 'tributary', kind: 'tributary', connector: {}, worker: {} }

/** An earlier build of Tributary (`--against`), with its defaults. */
export const before: System = { name: 'before', kind: 'tributary', connector: {}, worker: {} }

/** The same build while `/metrics` is read every second, as by Prometheus. */
export const tributaryScraped: System = { name: 'tributary-scraped', kind: 'tributary', connector: {}, worker: {} }

/** The same build with exactly-once delivery, once with each transaction boundary. */
export const exactlyOnce: readonly System[] = (['poll', 'interval', 'connector'] as const).map((boundary) => ({
  name: `exactly-once-${boundary}`,
  kind: 'tributary',
  connector: { 'transaction.boundary': boundary, 'transaction.boundary.interval.ms': '100' },
  worker: { 'exactly.once.source.support': 'enabled' },
  isTransactional: true,
}))

/** Kafka Connect's defaults for the properties that the testkit changes for short tests. */
const DEFAULTS = { 'offset.flush.interval.ms': '60000', 'plugin.discovery': 'hybrid_warn' } as const

/** Kafka Connect with Debezium, both with their defaults. */
export const reference: System = { name: 'reference', kind: 'reference', connector: {}, worker: DEFAULTS }

/** The reference tuned for throughput: larger polls, queues and batches, and compression. */
export const referenceTuned: System = {
  name: 'reference-tuned',
  kind: 'reference',
  connector: {
    'max.batch.size': '8192',
    'max.queue.size': '32768',
    'producer.override.compression.type': 'lz4',
    'producer.override.linger.ms': '10',
    'producer.override.batch.size': '262144',
  },
  worker: { ...DEFAULTS, 'plugin.discovery': 'service_load' },
}

/** The reference tuned for latency: it polls for events a hundred times per second instead of twice. */
export const referencePolling: System = {
  name: 'reference-poll-10ms',
  kind: 'reference',
  connector: { 'poll.interval.ms': '10' },
  worker: DEFAULTS,
}

/** All systems in the order of the table's columns. */
export const columnOrder: readonly System[] = [
  tributary,
  tributaryScraped,
  before,
  reference,
  referenceTuned,
  referencePolling,
  ...exactlyOnce,
]

/** The systems that are compared unless `--systems` names others. */
export const systems: readonly System[] = [tributary, reference, referenceTuned]

/** The systems that `--systems` accepts. */
export const namedSystems: readonly System[] = [...systems, tributaryScraped, ...exactlyOnce]

/**
 * A letter for each system. The names of its connectors contain it instead of its name: they are in each record, and
 * all systems have to send the same number of bytes.
 */
export function letterOf(system: System): string {
  return String.fromCharCode('a'.charCodeAt(0) + columnOrder.indexOf(system))
}
