import { type ConnectValue, EncodedText, type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { systemClock } from '@tributary/support'
import { captureLogger, type CaptureLogger, type Flavor } from '@tributary/testkit'
import type { ChangeEvent, Row } from './row-image.ts'
import { MARKER_TABLE } from './truth.ts'

/** A task that the test polls. When it is started again, it continues from the last event that was taken. */
export class TaskReader implements AsyncDisposable {
  readonly logger: CaptureLogger = captureLogger()
  readonly events: ChangeEvent[] = []
  readonly #flavor: Flavor
  readonly #name: string
  readonly #config: Readonly<Record<string, string>>
  #task: Task | null = null
  #stored: OffsetDocument | null = null
  /** Id of the last marker that was taken. */
  #marker = 0

  constructor(flavor: Flavor, name: string, config: Readonly<Record<string, string>>) {
    this.#flavor = flavor
    this.#name = name
    this.#config = config
  }

  async start(deadline: AbortSignal): Promise<void> {
    const plugin = this.#flavor === 'mariadb' ? mariadbConnectorPlugin : mysqlConnectorPlugin
    const task = plugin.createTask()
    this.#task = task
    const context = {
      config: this.#config,
      workerDefaults: {},
      connectorName: this.#name,
      taskNumber: 0,
      logger: this.logger,
      clock: systemClock,
      storedOffset: () => this.#stored,
    }
    await task.start(context, deadline)
  }

  async untilStreaming(deadline: AbortSignal): Promise<void> {
    await this.#poll(() => this.logger.matching('Connected to binlog').length > 0, deadline)
  }

  async untilMarker(marker: number, deadline: AbortSignal): Promise<void> {
    await this.#poll(() => this.#marker >= marker, deadline)
  }

  /** Takes so many more events, or all before the marker, and starts a task from there, as after a crash. */
  async restartAfter(count: number, marker: number, deadline: AbortSignal): Promise<void> {
    const until = this.events.length + count
    await this.#poll(() => this.#marker >= marker || this.events.length >= until, deadline, until)
    await this.stop()
    await this.start(deadline)
  }

  async stop(): Promise<void> {
    const task = this.#task
    this.#task = null
    await task?.stop()
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
        if (this.events.length >= eventsMax && isFirstOfRow(record)) return
        this.#take(record)
      }
      if (progress !== null) this.#stored = progress.offset.toDocument()
    }
  }

  #take({ value, sourceOffset }: SourceRecord): void {
    this.#stored = sourceOffset.toDocument()
    if (!(value instanceof Struct)) return
    const source = value.schema.fields.some(({ name }) => name === 'op') ? value.get('source') : null
    if (!(source instanceof Struct)) return
    const table = textOf(source.get('table'))
    const [before, after] = [rowOf(value.get('before')), rowOf(value.get('after'))]
    if (table === MARKER_TABLE) this.#marker = Number(after?.['id'])
    else this.events.push({ table, op: textOf(value.get('op')), before, after })
  }
}

type Task = ReturnType<typeof mysqlConnectorPlugin.createTask>

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
