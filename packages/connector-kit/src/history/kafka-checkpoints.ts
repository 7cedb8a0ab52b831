import {
  type Admin,
  type Kafka,
  type OutgoingRecord,
  type Producer,
  type ProducerTopic,
  textPart,
} from '@tributary/kafka'
import { nextTurn } from '@tributary/support'
import type { CheckpointHeader, CheckpointStore, StoredCheckpoint } from './checkpoint.ts'
import { digestOf, packChunks, unpackChunk } from './checkpoint-chunks.ts'

export interface KafkaCheckpointsOptions {
  readonly kafka: Kafka
  /** Sends a request that a missing answer must not delay for ever. Its admin is closed by its owner. */
  readonly ask: <T>(request: (admin: Admin, signal?: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>
  readonly topic: string
}

/** The topic of the checkpoints of a schema history. */
export function checkpointTopic(historyTopic: string): string {
  return `${historyTopic}-checkpoint`
}

/** Small segments: the last one is never compacted, and a start reads it. */
const TOPIC_SETTINGS: Readonly<Record<string, string>> = {
  'cleanup.policy': 'compact',
  'segment.bytes': String(16 * 2 ** 20),
  'min.cleanable.dirty.ratio': '0.1',
}

/** The two places of a connector; a checkpoint replaces the older one. */
const SLOTS = ['a', 'b'] as const
type Slot = (typeof SLOTS)[number]

/**
 * Checkpoints in a compacted topic of one partition:
 *
 * ```
 *  key                        value
 *  ["shop","a",0]             chunk 0 of slot a: lines of JSON, gzip
 *  ["shop","a",1]             chunk 1
 *  ["shop","a"]               the manifest, JSON: header, and the SHA-256 of each chunk
 * ```
 *
 * The manifest is written last, so a checkpoint is complete or not there: chunks of another checkpoint in the same slot
 * have other hashes. Compaction keeps the last record of each key.
 */
export class KafkaCheckpoints implements CheckpointStore {
  readonly #options: KafkaCheckpointsOptions
  #producer: Producer | null = null
  #topic: ProducerTopic | null = null
  #token = 0
  /** What the slots have, by connector; absent: not known yet. */
  readonly #slots = new Map<string, Map<Slot, Manifest>>()

  constructor(options: KafkaCheckpointsOptions) {
    this.#options = options
  }

  async read(server: string, signal?: AbortSignal): Promise<readonly StoredCheckpoint[]> {
    const values = await this.#readValues(server, signal)
    const slots = new Map<Slot, Manifest>()
    this.#slots.set(server, slots)
    const found: StoredCheckpoint[] = []
    for (const slot of SLOTS) {
      const manifest = parseManifest(values.get(keyOf(server, slot)))
      if (manifest === null) continue
      slots.set(slot, manifest)
      const chunks = manifest.digests.map((_, index) => values.get(keyOf(server, slot, index)))
      const complete = chunks.filter(
        (chunk, index) => chunk !== undefined && digestOf(chunk) === manifest.digests[index],
      )
      if (complete.length === chunks.length) found.push(stored(server, manifest, complete as readonly Buffer[]))
    }
    return found.toSorted((a, b) => b.createdMs - a.createdMs)
  }

  /** The last value of each key of the connector. */
  async #readValues(server: string, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Buffer>> {
    const { kafka, ask, topic } = this.#options
    const values = new Map<string, Buffer>()
    if ((await ask((admin, limit) => admin.describeTopic(topic, limit), signal)) === null) return values
    const prefix = keyOf(server).slice(0, -1)
    await using reader = await kafka.reader({ topic, partitions: [0] }, signal)
    await reader.readToEnd(({ key, value }) => {
      const text = key?.toString() ?? ''
      if (!text.startsWith(prefix)) return
      // A copy: a value is a view of a whole response.
      if (value === null) values.delete(text)
      else values.set(text, Buffer.from(value))
    }, signal)
    return values
  }

  async write(header: CheckpointHeader, entries: Iterable<string>, signal?: AbortSignal): Promise<void> {
    const { server } = header
    if (!this.#slots.has(server)) await this.read(server, signal)
    const slots = this.#slots.get(server) ?? new Map<Slot, Manifest>()
    const slot = olderOf(slots)
    const { producer, topic } = await this.#open(signal)
    const digests: string[] = []
    for await (const { bytes, digest } of packChunks(entries)) {
      topic.send(this.#record(keyOf(server, slot, digests.length), bytes))
      digests.push(digest)
      if (producer.isFull) await producer.ready(signal)
      await nextTurn()
    }
    await producer.flush(signal)
    const manifest: Manifest = { ...header, digests }
    topic.send(this.#record(keyOf(server, slot), Buffer.from(formatManifest(manifest))))
    const before = slots.get(slot)?.digests.length ?? 0
    for (let index = digests.length; index < before; index++) topic.send(this.#record(keyOf(server, slot, index), null))
    await producer.flush(signal)
    slots.set(slot, manifest)
  }

  #record(key: string, value: Buffer | null): OutgoingRecord {
    return {
      key: textPart(key),
      value: value === null ? null : { ...textPart(''), buffer: value, end: value.length },
      headers: [],
      partition: 0,
      timestamp: null,
      token: this.#token++,
    }
  }

  async #open(signal: AbortSignal | undefined): Promise<{ producer: Producer; topic: ProducerTopic }> {
    const { kafka, ask, topic: name } = this.#options
    if (this.#producer === null) {
      // A user without the permission to create topics may have been given this one.
      const isThere = (await ask((admin, limit) => admin.describeTopic(name, limit), signal)) !== null
      const settings = { name, partitions: 1, replicationFactor: -1, configs: TOPIC_SETTINGS }
      if (!isThere) await ask((admin, limit) => admin.createTopic(settings, limit), signal)
      const options = { compression: 'none', bufferBytesMax: BUFFER_BYTES_MAX, onDelivered: () => undefined } as const
      this.#producer = await kafka.producer(options, signal)
    }
    this.#topic ??= await this.#producer.topic(name, signal === undefined ? {} : { signal })
    return { producer: this.#producer, topic: this.#topic }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#producer?.close()
    this.#producer = null
  }
}

interface Manifest extends CheckpointHeader {
  readonly digests: readonly string[]
}

function keyOf(server: string, ...parts: readonly (string | number)[]): string {
  return JSON.stringify([server, ...parts])
}

function olderOf(slots: ReadonlyMap<Slot, Manifest>): Slot {
  const [a, b] = SLOTS.map((slot) => slots.get(slot)?.createdMs ?? Number.NEGATIVE_INFINITY) as [number, number]
  return a <= b ? 'a' : 'b'
}

function stored(server: string, manifest: Manifest, chunks: readonly Buffer[]): StoredCheckpoint {
  const { end, fingerprint, position, model, createdMs } = manifest
  return { server, end, fingerprint, position, model, createdMs, entries: () => chunks.values().flatMap(unpackChunk) }
}

function formatManifest({ end, fingerprint, position, model, createdMs, digests }: Manifest): string {
  return JSON.stringify({ form: FORM, end: String(end), fingerprint, position, model, createdMs, digests })
}

/** Null for another form, and for what is no manifest. */
function parseManifest(value: Buffer | undefined): Manifest | null {
  if (value === undefined) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(value.toString())
  } catch {
    return null
  }
  if (typeof parsed !== 'object' || parsed === null) return null
  const { form, end, fingerprint, position, model, createdMs, digests } = parsed as Readonly<Record<string, unknown>>
  const isManifest =
    form === FORM &&
    typeof end === 'string' &&
    /^\d+$/.test(end) &&
    typeof fingerprint === 'string' &&
    typeof position === 'object' &&
    position !== null &&
    typeof model === 'string' &&
    typeof createdMs === 'number' &&
    Array.isArray(digests) &&
    digests.every((digest) => typeof digest === 'string')
  if (!isManifest) return null
  const document = position as CheckpointHeader['position']
  return { server: '', end: BigInt(end), fingerprint, position: document, model, createdMs, digests }
}

/** Of manifest and chunks. Another one is ignored. */
const FORM = 1
const BUFFER_BYTES_MAX = 4 * 2 ** 20
