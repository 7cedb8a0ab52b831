import { ConfigDef, type PollResult, type SourceTask, type SourceTaskContext } from '@tributary/connect-api'
import { debeziumMessages, SourceCoordinator } from '@tributary/connector-kit'
import { assert, BackOff, describeError, isRetriable, StoppedError } from '@tributary/support'
import { typedConfig } from './config/connector-config.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { ineffectiveProperties } from './ineffective-properties.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { type OpenOptions, taskLogger, TaskParts, type TaskSettings } from './task-parts.ts'

interface OpenTask {
  readonly parts: TaskParts
  readonly coordinator: SourceCoordinator
}

/**
 * The task as the runtime sees it: snapshot, then stream. What it is made of is put together in `TaskParts`.
 *
 * It starts with its configuration alone; the database and the schema history are looked at by the first poll. So a task whose
 * database is away runs and waits for it, as it does when the database goes away later. What waiting cannot mend fails it.
 */
export class BinlogTask implements SourceTask {
  readonly #kind: ConnectorKind
  readonly #pauses = new BackOff({ initialMs: 250, maxMs: 30_000 })
  #settings: TaskSettings | null = null
  #open: OpenTask | null = null

  constructor(kind: ConnectorKind) {
    this.#kind = kind
  }

  async start(context: SourceTaskContext): Promise<void> {
    const kind = this.#kind
    const values = new ConfigDef(connectorKeys(kind), debeziumMessages).parse(context.config)
    this.#settings = { kind, context, config: typedConfig(values, context.config), told: new Set() }
    const logger = taskLogger(this.#settings, 'task')
    for (const { name, reason } of ineffectiveProperties(kind, context.config)) {
      logger.warn(`The property ${name} ${reason}`)
    }
  }

  async poll(signal: AbortSignal): Promise<PollResult> {
    const settings = this.#settings
    assert(settings !== null, 'a task is started before it is polled')
    this.#open ??= await this.#tryToOpen(settings, signal)
    return this.#open === null ? NOTHING : this.#open.coordinator.poll(signal)
  }

  /** Null after an error that waiting may mend, and after the waiting. */
  async #tryToOpen(settings: TaskSettings, signal: AbortSignal): Promise<OpenTask | null> {
    const { clock } = settings.context
    try {
      return await open(settings, { isFirstTry: this.#pauses.failures === 0, signal })
    } catch (error) {
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      const pauseMs = this.#pauses.next()
      taskLogger(settings, 'task').warn(`Cannot begin yet; trying again in ${pauseMs} ms: ${describeError(error)}`)
      await clock.sleep(pauseMs, signal)
      return null
    }
  }

  async stop(): Promise<void> {
    await this.#open?.coordinator.close()
    await this.#open?.parts.close()
  }
}

/** All of it or nothing: an attempt that fails leaves nothing open, and the next one begins with a table model of its own. */
async function open(settings: TaskSettings, options: OpenOptions): Promise<OpenTask> {
  const parts = await TaskParts.open(settings, options)
  try {
    return { parts, coordinator: new SourceCoordinator(await parts.phases(options.signal)) }
  } catch (error) {
    await parts.close()
    throw error
  }
}

const NOTHING: PollResult = { records: [], progress: null }
