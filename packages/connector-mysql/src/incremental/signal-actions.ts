import type { NotificationType, TableId, Tables } from '@tributary/connector-kit'
import { type Logger, toError } from '@tributary/support'
import type { SnapshotCollection } from '../offset/incremental-progress.ts'
import { offsetText } from '../offset/offset-text.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { NotifySnapshot } from '../snapshot/snapshot-event.ts'
import { parsedJson, SIGNAL_CHARACTERS_MAX, type Signal } from '../signals/signal.ts'
import { parseSnapshotRequest, type SnapshotRequest } from '../signals/snapshot-request.ts'
import type { IncrementalSnapshot } from './incremental-snapshot.ts'
import { parseSchemaChanges } from './schema-changes.ts'

export interface SignalActionsOptions {
  readonly snapshot: Pick<IncrementalSnapshot, 'progress' | 'position' | 'change'>
  readonly tables: Pick<Tables<MySqlTable>, 'get' | typeof Symbol.iterator>
  readonly isCaptured: (id: TableId) => boolean
  /** `signal.data.collection`, which is never copied; null: not set. */
  readonly signalTable: TableId | null
  readonly notify?: NotifySnapshot | undefined
  readonly logger: Logger
}

/**
 * Does what signals ask for. One that cannot be done is logged and has no effect, whatever it contains: a task that it
 * ended would meet it again after each start.
 */
export class SignalActions {
  readonly #options: SignalActionsOptions
  #refusal: SignalRefusal | null = null

  constructor(options: SignalActionsOptions) {
    this.#options = options
  }

  /** Returns why it has no effect; null: it has. */
  run(signal: Signal): SignalRefusal | null {
    this.#refusal = null
    this.#tryTo(signal)
    return this.#refusal
  }

  #tryTo(signal: Signal): void {
    if (signal.data.length > SIGNAL_CHARACTERS_MAX) {
      this.#refuse(signal, `has more than ${SIGNAL_CHARACTERS_MAX} characters of data`)
      return
    }
    try {
      this.#run(signal)
    } catch (error) {
      this.#refuse(signal, `cannot be handled (${toError(error).message})`)
    }
  }

  #run(signal: Signal): void {
    switch (signal.type) {
      case 'execute-snapshot':
        this.#withRequest(signal, (request) => this.#execute(signal, request))
        return
      case 'stop-snapshot':
        this.#withRequest(signal, (request) => this.#stop(signal, request))
        return
      case 'pause-snapshot':
      case 'resume-snapshot':
        this.#withRequest(signal, () => this.#pause(signal, signal.type === 'pause-snapshot'))
        return
      case 'log':
        this.#log(signal)
        return
      case 'snapshot-window-open':
      case 'snapshot-window-close':
        // Markers of chunks.
        if (signal.channel === 'rest') this.#refuse(signal, 'is a marker of a chunk, which only the signal table has')
        return
      case 'schema-changes':
        this.#compareSchemas(signal)
        return
      default:
        this.#refuse(signal, `is of a type that this version does not know; it knows ${TYPES}`)
    }
  }

  #withRequest(signal: Signal, run: (request: SnapshotRequest) => void): void {
    const parsed = parseSnapshotRequest(signal)
    if (parsed.tag === 'invalid') this.#refuse(signal, parsed.reason)
    else run(parsed.request)
  }

  #execute(signal: Signal, request: SnapshotRequest): void {
    const { snapshot, logger } = this.#options
    if (request.tables === null || request.tables.length === 0) {
      this.#refuse(signal, 'has no data-collections')
      return
    }
    const found = this.#tablesOf(request.tables)
    if (found.length === 0) {
      this.#refuse(signal, `names no captured table: ${request.tables.flatMap(({ entries }) => entries).join(', ')}`)
      return
    }
    const collections = found.map((id) => collectionOf(id, signal, request))
    if (request.type === 'blocking') {
      const shared = sharedStatement(collections)
      if (shared !== null) {
        this.#refuse(signal, shared)
        return
      }
      logger.info(`Blocking snapshot of ${found.map(String).join(', ')} was requested by the signal '${signal.id}'`)
      // One with another condition selects other rows: both are read.
      const isAgain = (each: SnapshotCollection): boolean =>
        collections.some(({ id, condition }) => id === each.id && condition === each.condition)
      const waiting = snapshot.progress.blocking.filter((each) => !isAgain(each))
      snapshot.change(snapshot.progress.withBlocking([...waiting, ...collections]))
      return
    }
    if (!snapshot.progress.isActive) this.#notify('STARTED', collections)
    logger.info(`Incremental snapshot of ${found.map(String).join(', ')} was requested by the signal '${signal.id}'`)
    snapshot.change(snapshot.progress.withCollections(collections))
  }

  /** In the order of the patterns, then of their names. */
  #tablesOf(patterns: SnapshotRequest['tables']): readonly TableId[] {
    const { tables, isCaptured, signalTable } = this.#options
    const known = [...tables].map(({ id }) => id).filter((id) => isCaptured(id) && id !== signalTable)
    known.sort((a, b) => (a.toString() < b.toString() ? -1 : 1))
    const found = (patterns ?? []).flatMap((pattern) => known.filter((id) => pattern.matches(id.toString())))
    return [...new Set(found)]
  }

  #stop(signal: Signal, { tables, type }: SnapshotRequest): void {
    const { snapshot, logger } = this.#options
    const { collections, blocking } = snapshot.progress
    const isNamed = (id: TableId): boolean =>
      tables === null || tables.length === 0 || tables.some((pattern) => pattern.matches(id.toString()))
    if (type === 'blocking') {
      const rest = blocking.filter(({ id }) => !isNamed(id))
      if (rest.length === blocking.length) {
        this.#notNow(signal, 'The blocking snapshot was to be stopped, but does not have such tables')
        return
      }
      logger.warn('The blocking snapshot was stopped by a signal before its end')
      snapshot.change(snapshot.progress.withBlocking(rest))
      return
    }
    const stopped = collections.map(({ id }) => id).filter(isNamed)
    if (stopped.length === 0) {
      this.#notNow(signal, 'The incremental snapshot was to be stopped, but does not have such tables')
      return
    }
    logger.warn(`The incremental snapshot of ${stopped.map(String).join(', ')} was stopped by a signal before its end`)
    this.#notify('ABORTED', stopped)
    snapshot.change(snapshot.progress.without(new Set(stopped)))
  }

  #pause(signal: Signal, isPaused: boolean): void {
    const { snapshot, logger } = this.#options
    if (!snapshot.progress.isActive) {
      this.#notNow(signal, `There is no incremental snapshot to be ${isPaused ? 'paused' : 'resumed'}`)
      return
    }
    logger.info(`The incremental snapshot was ${isPaused ? 'paused' : 'resumed'} by a signal`)
    this.#notify(isPaused ? 'PAUSED' : 'RESUMED', snapshot.progress.collections)
    snapshot.change(snapshot.progress.paused(isPaused))
  }

  #notify(type: NotificationType, tables: readonly (TableId | SnapshotCollection)[]): void {
    const names = tables.map((each) => ('id' in each ? each.id : each).toString())
    this.#options.notify?.(type, { data_collections: names.join(',') })
  }

  /** `{}` in the message stands for the offset. */
  #log(signal: Signal): void {
    const parsed = parsedJson(signal.data)
    const message = typeof parsed === 'object' && parsed !== null && 'message' in parsed ? parsed.message : null
    if (typeof message !== 'string') {
      this.#refuse(signal, 'has no message')
      return
    }
    const { position } = this.#options.snapshot
    this.#options.logger.info(message.replace('{}', () => offsetText(position?.toDocument() ?? {})))
  }

  #compareSchemas(signal: Signal): void {
    const changes = parseSchemaChanges(signal.data, this.#options.tables)
    if (changes.tag === 'invalid') this.#refuse(signal, changes.reason)
    else {
      const names = changes.tables.map(String).join(', ')
      this.#options.logger.info(
        `The signal '${signal.id}' has the definitions to which the binlog leads; nothing changes: ${names}`,
      )
    }
  }

  #notNow({ channel }: Signal, text: string): void {
    // Who sends a request reads its answer.
    if (channel !== 'rest') this.#options.logger.warn(text)
    this.#refusal = { isForNow: true, reason: text }
  }

  #refuse({ id, type, channel }: Signal, reason: string): void {
    const [name, kind] = [id, type].map((text) => text.slice(0, NAME_CHARACTERS_MAX))
    const text = `The signal '${name}' (${kind}, from the channel ${channel}) ${reason}. It has no effect`
    if (channel !== 'rest') this.#options.logger.error(text)
    this.#refusal = { isForNow: false, reason: `The signal '${name}' (${kind}) ${reason}. It has no effect` }
  }
}

/** Why a signal has no effect. */
export interface SignalRefusal {
  /** It may have one later. */
  readonly isForNow: boolean
  /** A sentence. */
  readonly reason: string
}

const TYPES = 'execute-snapshot, stop-snapshot, pause-snapshot, resume-snapshot, log and schema-changes'
/** Of a text in the log. */
const NAME_CHARACTERS_MAX = 200

/**
 * Returns what is wrong when several tables have the same statement: the rows of one table would be in the topics of the
 * others. Null: no two tables have.
 */
function sharedStatement(collections: readonly SnapshotCollection[]): string | null {
  const others = new Map<string, TableId>()
  for (const { id, condition } of collections) {
    if (condition === null) continue
    const other = others.get(condition)
    if (other !== undefined) {
      const names = `${other.toString()} and ${id.toString()}`
      return `has one statement for ${names}; each table of a blocking snapshot needs an additional condition of its own, with a SELECT of that table`
    }
    others.set(condition, id)
  }
  return null
}

function collectionOf(id: TableId, signal: Signal, { conditions, surrogateKey }: SnapshotRequest): SnapshotCollection {
  const condition = conditions.find(({ tables }) => tables.matches(id.toString()))
  return {
    id,
    condition: condition?.filter ?? null,
    surrogateKey,
    correlationId: signal.id === '' ? null : signal.id,
  }
}
