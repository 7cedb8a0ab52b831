/** Something that captures changes: what runs a connector's document behind Kafka Connect's REST interface. */
export interface System {
  /** As `--systems` and the table have it: letters and hyphens. */
  readonly name: string
  readonly kind: 'tributary' | 'reference'
  /** Added to the configuration of every connector that it runs. */
  readonly connector: Readonly<Record<string, string>>
  /** Added to the properties of its worker. */
  readonly worker: Readonly<Record<string, string>>
}

/** The packed release with its defaults. */
export const tributary: System = { name: 'tributary', kind: 'tributary', connector: {}, worker: {} }

/** An earlier build of Tributary (`--against`), with its defaults. */
export const before: System = { name: 'before', kind: 'tributary', connector: {}, worker: {} }

/** What the testkit sets for short tests, back to the defaults of Kafka Connect. */
const AS_IT_COMES = { 'offset.flush.interval.ms': '60000', 'plugin.discovery': 'hybrid_warn' } as const

/** Kafka Connect with Debezium, as they come. */
export const reference: System = { name: 'reference', kind: 'reference', connector: {}, worker: AS_IT_COMES }

/** The same with what its users turn up for throughput: larger polls and queues, larger batches, compressed. */
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
  worker: { ...AS_IT_COMES, 'plugin.discovery': 'service_load' },
}

/** The same with what its users turn down for latency: it looks for events a hundred times a second instead of twice. */
export const referencePolling: System = {
  name: 'reference-poll-10ms',
  kind: 'reference',
  connector: { 'poll.interval.ms': '10' },
  worker: AS_IT_COMES,
}

/** All systems in the order of the table's columns. */
export const columnOrder: readonly System[] = [tributary, before, reference, referenceTuned, referencePolling]

/** What `--systems` can name. */
export const systems: readonly System[] = [tributary, reference, referenceTuned]
