import { type ConnectValue, EncodedText, type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { systemClock } from '@tributary/support'
import { captureLogger, type CaptureLogger, type Flavor } from '@tributary/testkit'
import type { ChangeReader, ReadChanges } from './change-reader.ts'
import { type ChangeEvent, eventText, type Row } from './row-image.ts'
import { MARKER_TABLE } from './table-names.ts'
import { TopicState } from './topic-state.ts'

/** A task that the test polls. When it is started again, it continues from the last event that was taken. */
export class TaskReader implements ChangeReader {
  readonly #logger: CaptureLogger = captureLogger()
  readonly #events: ChangeEvent[] = []
  readonly #state = new TopicState()
  readonly #flavor: Flavor
  readonly #name: string
  readonly #config: Readonly<Record<string, string>>
  #task: Task | null = null
  #stored: OffsetDocument | null = null
  /** Id of the last marker that was taken. */
  #marker = 0
  /** The last places from which a task may start, oldest first. */
  #places: { readonly offset: OffsetDocument | null; readonly events: number }[] = []
  /** Events that were taken before a crash and have to be read again. */
  #again: ChangeEvent[] = []
  readonly #unlike: string[] = []

  /** @param name of the connector and its schema */
  constructor(flavor: Flavor, name: string, config: Readonly<Record<string, string>>) {
    this.#flavor = flavor
    this.#name = name
    this.#config = config
  }

  async start(deadline: AbortSignal): Promise<void> {
    if (this.#task !== null) return
    const plugin = this.#flavor === 'mariadb' ? mariadbConnectorPlugin : mysqlConnectorPlugin
    const task = await plugin.createTask()
    this.#task = task
    const context = {
      config: this.#config,
      workerDefaults: {},
      connectorName: this.#name,
      taskNumber: 0,
      logger: this.#logger,
      clock: systemClock,
      storedOffset: () => this.#stored,
    }
    await task.start(context, deadline)
  }

  async untilStreaming(deadline: AbortSignal): Promise<void> {
    await this.#poll(() => this.#logger.matching('Connected to binlog').length > 0, deadline)
  }

  async untilMarker(marker: number, deadline: AbortSignal): Promise<void> {
    await this.start(deadline)
    await this.#poll(() => this.#marker >= marker, deadline)
  }

  async restartAfter(count: number, marker: number, deadline: AbortSignal): Promise<void> {
    await this.start(deadline)
    const until = this.#events.length + count
    await this.#poll(() => this.#marker >= marker || this.#events.length >= until, deadline, until)
    await this.stop()
    await this.start(deadline)
  }

  async crashAfter(count: number, unstored: number, marker: number, deadline: AbortSignal): Promise<void> {
    await this.start(deadline)
    const until = this.#events.length + count
    await this.#poll(() => this.#marker >= marker || this.#events.length >= until, deadline, until)
    await this.stop()
    const at = Math.max(0, this.#places.length - unstored)
    const place = this.#places[at]
    if (place !== undefined) {
      this.#places.length = at
      this.#stored = place.offset
      this.#again = [...this.#events.splice(place.events), ...this.#again]
    }
    await this.start(deadline)
  }

  forgetPlaces(): void {
    this.#places = []
  }

  async stop(): Promise<void> {
    const task = this.#task
    this.#task = null
    await task?.stop()
  }

  async finish(): Promise<ReadChanges> {
    await this.stop()
    const unlike = [...this.#unlike, ...this.#again.map((event) => `not read again: ${eventText(event)}`)]
    const [events, state] = [this.#events, this.#state.tables()]
    return { events, unlike, state, stopped: this.#stoppedTables(), leftOut: this.#tablesLeftOut() }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #poll(isEnough: () => boolean, deadline: AbortSignal, eventsMax = Infinity): Promise<void> {
    while (!isEnough()) {
      deadline.throwIfAborted()
      const { records, progress } = (await this.#task?.poll(deadline)) ?? { records: [], progress: null }
      for (const record of records) {
        // What a crash loses: the records after the row that was stored last.
        if (this.#events.length >= eventsMax && isFirstOfRow(record)) return
        if (isFirstOfRow(record)) this.#notePlace()
        this.#take(record)
      }
      if (progress !== null) this.#stored = progress.offset.toDocument()
    }
  }

  #notePlace(): void {
    this.#places.push({ offset: this.#stored, events: this.#events.length })
    if (this.#places.length > PLACES_MAX) this.#places.shift()
  }

  #take({ key, value, sourceOffset, topic }: SourceRecord): void {
    this.#stored = sourceOffset.toDocument()
    const keyText = key instanceof Struct ? JSON.stringify(rowOf(key)) : null
    if (!(value instanceof Struct)) {
      this.#state.take(topic, keyText, null)
      return
    }
    const source = value.schema.fields.some(({ name }) => name === 'op') ? value.get('source') : null
    if (!(source instanceof Struct)) return
    const table = textOf(source.get('table'))
    const [before, after] = [rowOf(value.get('before')), rowOf(value.get('after'))]
    if (table === MARKER_TABLE) this.#marker = Number(after?.['id'])
    else {
      this.#state.take(topic, keyText, { table, after })
      this.#add({ table, op: textOf(value.get('op')), before, after })
    }
  }

  #add(event: ChangeEvent): void {
    this.#events.push(event)
    const first = this.#again.shift()
    if (first !== undefined && eventText(first) !== eventText(event))
      this.#unlike.push(`${eventText(event)}, before the crash ${eventText(first)}`)
  }

  #stoppedTables(): ReadonlyMap<string, string> {
    const stopped = new Map<string, string>()
    for (const { message, fields } of this.#logger.matching(/^The table \S+ is stopped at/)) {
      const [, name = ''] = /^The table (\S+) is stopped/.exec(message) ?? []
      const { error } = fields
      stopped.set(name.replace(`${this.#name}.`, ''), error instanceof Error ? error.message : message)
    }
    return stopped
  }

  #tablesLeftOut(): ReadonlySet<string> {
    const names = this.#logger.matching(/^An event is left out/).map(({ fields: { error } }) => {
      const [, name = ''] = /^The row of (\S+) at /.exec(error instanceof Error ? error.message : '') ?? []
      return name.replace(`${this.#name}.`, '')
    })
    return new Set(names)
  }
}

type Task = Awaited<ReturnType<typeof mysqlConnectorPlugin.createTask>>

const PLACES_MAX = 100

/** A deletion is followed by its tombstone, and by the new row if the key has changed; they are stored together. */
function isFirstOfRow({ value, headers }: SourceRecord): boolean {
  return value !== null && !headers.some(({ key }) => key === '__debezium.oldkey')
}

function rowOf(value: ConnectValue): Row | null {
  if (!(value instanceof Struct)) return null
  return Object.fromEntries(value.schema.fields.map(({ name, index }) => [name, textOf(value.at(index))]))
}

function textOf(value: ConnectValue): string {
  if (value instanceof EncodedText) return value.toString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
