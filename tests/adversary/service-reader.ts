import type { LogRecord } from '@tributary/kafka'
import { eventually, kafkaClient, readTopic, type Service, startService } from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { ChangeReader, ReadChanges } from './change-reader.ts'
import { type ChangeEvent, eventText, type Row } from './row-image.ts'
import type { ReaderOptions } from './run-histories.ts'
import { MARKER_TABLE } from './table-names.ts'
import { TopicState } from './topic-state.ts'

/**
 * The whole service with real topics. It is stopped and resumed by REST where a task would start again, and killed where
 * a task would crash.
 */
export class ServiceReader implements ChangeReader {
  readonly #service: Service
  readonly #brokers: readonly string[]
  readonly #options: ReaderOptions
  #state: 'new' | 'running' | 'stopped' = 'new'

  private constructor(service: Service, brokers: readonly string[], options: ReaderOptions) {
    this.#service = service
    this.#brokers = brokers
    this.#options = options
  }

  static async open(options: ReaderOptions, bootstrapServers: readonly string[]): Promise<ServiceReader> {
    const json = 'org.apache.kafka.connect.json.JsonConverter'
    const plain = (of: string): Record<string, string> => ({ [of]: json, [`${of}.schemas.enable`]: 'false' })
    const config = { ...options.config, ...plain('key.converter'), ...plain('value.converter') }
    return new ServiceReader(await startService({ bootstrapServers }), bootstrapServers, { ...options, config })
  }

  async start(): Promise<void> {
    const { schema, config } = this.#options
    if (this.#state === 'new') await this.#service.register(schema, config)
    if (this.#state === 'stopped') await this.#ask('resume')
    if (this.#state !== 'running') await this.#service.waitUntilRunning(schema)
    this.#state = 'running'
  }

  async untilStreaming(): Promise<void> {
    await this.#service.waitForLog(/Connected to binlog/)
  }

  async untilMarker(marker: number, deadline: AbortSignal): Promise<void> {
    await this.start()
    const topic = this.#topicOf(MARKER_TABLE)
    await eventually(
      `marker ${marker} is in ${topic}`,
      async () => {
        deadline.throwIfAborted()
        const { state, trace } = await this.#service.taskState(this.#options.schema)
        if (state === 'FAILED') throw new Error(`the task failed: ${trace}`)
        const records = await readTopic(this.#brokers, topic)
        return records.some((record) => Number(envelopeOf(record)?.after?.['id']) >= marker)
      },
      { timeoutMs: 60_000 },
    )
  }

  async restartAfter(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async crashAfter(): Promise<void> {
    await this.#service.kill()
    await this.#service.start()
    if (this.#state === 'running') await this.#service.waitUntilRunning(this.#options.schema)
  }

  forgetPlaces(): void {
    // The service itself knows where it continues.
  }

  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    await this.#ask('stop')
    await this.#service.waitForTask(this.#options.schema, ['NONE'])
    this.#state = 'stopped'
  }

  async finish(): Promise<ReadChanges> {
    await this.stop()
    const [unlike, placed, state] = [[] as string[], [] as PlacedEvent[], new TopicState()]
    await using admin = (await kafkaClient(this.#brokers)).admin()
    for (const topic of await admin.listTopics()) {
      if (!topic.startsWith(this.#topicOf(''))) continue
      const found = eventsOfTopic(await readTopic(this.#brokers, topic), unlike)
      for (const { key, change, event } of found) {
        state.take(topic, key, change)
        if (event !== null) placed.push(event)
      }
    }
    placed.sort(comparePlaces)
    const events = placed.map(({ event }) => event)
    assert.doesNotMatch(this.#service.log, /is stopped at .*other tables continue/)
    return { events, unlike, state: state.tables(), stopped: new Map(), leftOut: new Set() }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]()
  }

  #topicOf(table: string): string {
    return `${this.#options.schema}.${this.#options.schema}.${table}`
  }

  async #ask(action: 'stop' | 'resume'): Promise<void> {
    const { status, text } = await this.#service.rest('PUT', `/connectors/${this.#options.schema}/${action}`)
    assert.ok(status < 300, `${action}: ${status} ${text}`)
  }
}

/** An event and its place in the binlog. */
interface PlacedEvent {
  readonly event: ChangeEvent
  readonly file: string
  readonly pos: number
  readonly row: number
}

interface TopicRecord {
  readonly key: string | null
  readonly change: { readonly table: string; readonly after: Row | null } | null
  /** Null: a tombstone, a marker, or an event that is there again after a crash. */
  readonly event: PlacedEvent | null
}

/** The records of a topic. An event that is repeated must be equal to the first one. */
function eventsOfTopic(records: readonly LogRecord[], unlike: string[]): readonly TopicRecord[] {
  const seen = new Map<string, string>()
  return records.map((record): TopicRecord => {
    const key = record.key === null ? null : textOfKey(record.key)
    const envelope = envelopeOf(record)
    if (envelope === null) return { key, change: null, event: null }
    const { op, source, before, after } = envelope
    const { table, file, pos, row } = source
    const event: ChangeEvent = { table, op, before, after }
    const [place, text] = [`${op} ${file} ${pos} ${row}`, eventText(event)]
    const first = seen.get(place)
    seen.set(place, first ?? text)
    if (first !== undefined && first !== text) unlike.push(`${text}, before the crash ${first}`)
    const isCounted = first === undefined && table !== MARKER_TABLE
    return { key, change: { table, after }, event: isCounted ? { event, file, pos, row } : null }
  })
}

/** Stable: a deletion is before the new row of a changed key, as in its topic. */
function comparePlaces(one: PlacedEvent, other: PlacedEvent): number {
  return one.file.localeCompare(other.file) || one.pos - other.pos || one.row - other.row
}

interface Envelope {
  readonly op: string
  readonly before: Row | null
  readonly after: Row | null
  readonly source: { readonly table: string; readonly file: string; readonly pos: number; readonly row: number }
}

function envelopeOf({ value }: LogRecord): Envelope | null {
  if (value === null) return null
  const parsed = JSON.parse(value.toString()) as Omit<Envelope, 'before' | 'after'> &
    Record<'before' | 'after', unknown>
  return { ...parsed, before: rowOf(parsed.before), after: rowOf(parsed.after) }
}

function textOfKey(key: Buffer): string {
  return JSON.stringify(rowOf(JSON.parse(key.toString())))
}

function rowOf(values: unknown): Row | null {
  if (values === null) return null
  return Object.fromEntries(Object.entries(values as object).map(([name, value]) => [name, String(value)]))
}
