import {
  ProducerStats,
  type OutgoingRecord,
  type Producer,
  type ProducerTopic,
  type RecordPart,
} from '@tributary/kafka'
import { doneOr } from '@tributary/support'

/** A record that was sent. */
export interface SentRecord {
  readonly topic: string
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [key: string, value: string | null])[]
  readonly partition: number | null
  readonly timestamp: number | null
  readonly token: number
}

/** A producer without brokers. A test acknowledges its records, fills it and fails it. */
export class MemoryProducer implements Producer {
  readonly stats: ProducerStats = new ProducerStats()
  readonly bufferBytesMax: number = 32 * 2 ** 20
  failure: Error | null = null
  isFull = false
  moreFollows = false
  /** The starts of the send window, in the order of the calls. */
  readonly windowStarts: number[] = []
  isClosed = false
  /** Acknowledges each record at once. */
  acknowledgesAtOnce = true
  readonly sent: SentRecord[] = []
  /** Topics that `topic` finds; null for all. */
  topics: ReadonlySet<string> | null = null
  /** Error that `topic` throws for a missing topic. */
  missingTopicError: Error = new Error('no such topic')
  /** Awaited by each lookup of a topic; may reject as brokers do. */
  onLookUp: (name: string) => Promise<void> = () => Promise.resolve()
  /** Called for each sent record; may throw as the real producer does. */
  onSend: (record: SentRecord) => void = () => undefined
  /** Called when a refused record is offered; its rejection is the answer. */
  onOffer: () => Promise<void> = () => Promise.resolve()
  readonly #onDelivered: (tokens: readonly number[]) => void
  readonly #unacknowledged: number[] = []
  #change: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(onDelivered: (tokens: readonly number[]) => void = () => undefined) {
    this.#onDelivered = onDelivered
  }

  get bufferedBytes(): number {
    return this.#unacknowledged.length
  }

  topic(name: string): Promise<ProducerTopic> {
    if (this.failure !== null) return Promise.reject(this.failure)
    if (this.topics?.has(name) === false) return Promise.reject(this.missingTopicError)
    return this.onLookUp(name).then(() => this.knownTopic(name))
  }

  knownTopic(name: string): ProducerTopic {
    const send = (record: OutgoingRecord): void => this.#send(name, record)
    return { name, partitionCount: 1, send, offer: (record) => this.#offer(name, record) }
  }

  async #offer(topic: string, record: OutgoingRecord): Promise<void> {
    await this.onOffer()
    this.#send(topic, record)
  }

  #send(topic: string, record: OutgoingRecord): void {
    if (this.failure !== null) throw this.failure
    const { partition, timestamp, token, headers } = record
    const sent = {
      topic,
      key: textOf(record.key),
      value: textOf(record.value),
      headers: ('count' in headers ? headers.list() : headers).map(
        ({ key, value }) => [key.toString(), value?.toString() ?? null] as const,
      ),
      partition,
      timestamp,
      token,
    }
    this.onSend(sent)
    this.sent.push(sent)
    this.#unacknowledged.push(token)
    if (this.acknowledgesAtOnce) this.acknowledge()
  }

  /** Acknowledges the oldest records; all by default. */
  acknowledge(count: number = this.#unacknowledged.length): void {
    this.#onDelivered(this.#unacknowledged.splice(0, count))
    this.#changed()
  }

  fill(): void {
    this.isFull = true
  }

  drain(): void {
    this.isFull = false
    this.#changed()
  }

  fail(error: Error): void {
    this.failure = error
    this.#changed()
  }

  #changed(): void {
    const change = this.#change
    this.#change = Promise.withResolvers()
    change.resolve()
  }

  ready(signal?: AbortSignal): Promise<void> {
    return this.#until(() => !this.isFull, signal)
  }

  flush(signal?: AbortSignal): Promise<void> {
    return this.#until(() => this.#unacknowledged.length === 0, signal)
  }

  async #until(isReached: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (this.failure !== null) throw this.failure
      if (isReached()) return
      await doneOr(this.#change.promise, signal)
    }
  }

  moveWindow(start: number): void {
    this.windowStarts.push(start)
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function textOf(part: RecordPart | null): string | null {
  if (part === null) return null
  return Buffer.concat([part.prefix, part.buffer.subarray(part.start, part.end)]).toString()
}
