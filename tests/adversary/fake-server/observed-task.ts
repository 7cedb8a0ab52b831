import { type ConnectValue, EncodedText, type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import type { Clock } from '@tributary/support'
import { captureLogger, type CaptureLogger, type Flavor } from '@tributary/testkit'

export interface ObservedTaskOptions {
  readonly flavor: Flavor
  readonly config: Readonly<Record<string, string>>
  readonly stored: OffsetDocument | null
  readonly clock: Clock
}

/** A task of the connector as the runtime runs it, with its events as text. */
export class ObservedTask implements AsyncDisposable {
  readonly logger: CaptureLogger = captureLogger()
  /** Such as `u t {"id":1,…} → {"id":1,…}`. */
  readonly changes: string[] = []
  /** The offset that the runtime would store now. */
  stored: OffsetDocument | null
  readonly #options: ObservedTaskOptions
  #task: Task | null = null

  constructor(options: ObservedTaskOptions) {
    this.#options = options
    this.stored = options.stored
  }

  /** Polls until the condition is true; throws the task's error. */
  async until(isEnough: () => boolean, deadline: AbortSignal): Promise<void> {
    const { flavor, config, clock, stored } = this.#options
    const task = await (flavor === 'mariadb' ? mariadbConnectorPlugin : mysqlConnectorPlugin).createTask()
    this.#task = task
    const context = { config, workerDefaults: {}, connectorName: NAME, taskNumber: 0, logger: this.logger, clock }
    await task.start({ ...context, storedOffset: () => stored }, deadline)
    while (!isEnough()) {
      const { records, progress } = await task.poll(deadline)
      for (const record of records) this.#take(record)
      if (progress !== null) this.stored = progress.offset.toDocument()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task?.stop()
  }

  #take({ value, sourceOffset }: SourceRecord): void {
    this.stored = sourceOffset.toDocument()
    if (!(value instanceof Struct) || !value.schema.fields.some(({ name }) => name === 'op')) return
    const source = value.get('source')
    const table = source instanceof Struct ? textOf(source.get('table')) : ''
    const [before, after] = [rowOf(value.get('before')), rowOf(value.get('after'))]
    this.changes.push(`${textOf(value.get('op'))} ${table} ${before} → ${after}`)
  }
}

type Task = Awaited<ReturnType<typeof mysqlConnectorPlugin.createTask>>

/** Part of the identity under which the connector registers as a replica, which the recordings contain. */
const NAME = 'fake'

function rowOf(value: ConnectValue): string {
  if (!(value instanceof Struct)) return 'null'
  return JSON.stringify(
    Object.fromEntries(value.schema.fields.map(({ name, index }) => [name, textOf(value.at(index))])),
  )
}

function textOf(value: ConnectValue): string {
  if (value instanceof EncodedText) return value.toString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
