import type {
  CheckpointHeader,
  HistoryExtent,
  SchemaHistory,
  StoredCheckpoint,
  TableId,
} from '@tributary/connector-kit'
import { type Clock, isRetriable, type Logger, StoppedError, toError } from '@tributary/support'
import type { OffsetDocument } from '@tributary/connect-api'
import type { Flavor } from './flavor/flavor.ts'
import { StreamPosition } from './offset/stream-position.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import { type ModelState, STATE_FORM, stateEntries, stateOfEntries } from './schema/model-state.ts'
import type { EarlierModel } from './snapshot/history-loss.ts'

export interface HistoryCheckpointsOptions {
  readonly history: SchemaHistory
  readonly interpreter: DdlInterpreter
  readonly flavor: Flavor
  /** `topic.prefix` */
  readonly server: string
  /** Settings on which definitions depend. */
  readonly settings: {
    readonly lowerCaseTableNames: number
    readonly includesComments: boolean
    readonly skipsUnparseable: boolean
    readonly recordsOnlyCapturedTables: boolean
  }
  /** Whether the history has the table. The model also has others that statements of the binlog created. */
  readonly isRecorded: (id: TableId) => boolean
  /** Whether the history has the statements about a database. */
  readonly isDatabaseRecorded: (database: string) => boolean
  readonly clock: Clock
  readonly logger: Logger
}

/** The checkpoints for a stored offset. */
export interface FoundCheckpoints {
  /** It sums up the beginning of this history. */
  readonly attached: EarlierModel | null
  /** The newest that is not after the stored offset. The history that it sums up may be lost. */
  readonly newest: EarlierModel | null
}

/**
 * Writes checkpoints of the table model, and finds the one that a start may use.
 *
 * A start with a checkpoint must lead to the model that the whole history leads to. So:
 *
 * - A checkpoint is taken between two polls, when model and history agree. No record that it covers is after its
 *   position.
 * - It is used only if the record before its end is the same one, and its position is not after the stored offset.
 * - If a record that follows its end is not after its position, the history was continued from an earlier offset: the
 *   caller reads all of it (`isCovered`).
 *
 * Writing runs beside the stream. If it fails, the log has a warning, and there are no further checkpoints.
 */
export class HistoryCheckpoints implements AsyncDisposable {
  readonly #options: HistoryCheckpointsOptions
  readonly #stop = new AbortController()
  #isOn = true
  #isStreaming = false
  /** Records that no checkpoint covers. */
  #uncovered = 0
  /** When the last of them was added. */
  #changedMs = 0
  #isUrgent = false
  /** The position after the records so far. */
  #position: OffsetDocument | null = null
  /** Records of the history that are after the stored offset; the stream meets their statements again. */
  #ahead: readonly StreamPosition[] = []
  /** The position that `#ahead` was compared with last. */
  #comparedWith: OffsetDocument | null = null
  #work: Promise<void> | null = null

  constructor(options: HistoryCheckpointsOptions) {
    this.#options = options
  }

  /** Finds those of the checkpoints that fit, the newest first. Logs why others are ignored. */
  async find(
    checkpoints: readonly StoredCheckpoint[],
    stored: StreamPosition,
    extent: HistoryExtent | null,
    signal: AbortSignal,
  ): Promise<FoundCheckpoints> {
    const { history, logger } = this.#options
    let attached: EarlierModel | null = null
    let newest: EarlierModel | null = null
    for (const checkpoint of checkpoints) {
      const position = StreamPosition.parse(checkpoint.position)
      const reason = this.#refusal(checkpoint, position, stored)
      if (reason !== null || position === null) {
        logger.info(`${describe(checkpoint)} is ignored: ${reason ?? 'it has no position'}`)
        continue
      }
      const { end } = checkpoint
      const usable = { position, end, state: () => stateOfEntries(checkpoint.entries()) }
      newest ??= usable
      const isIn = extent !== null && end > extent.begin && end <= extent.end
      const print = isIn ? await history.fingerprint(end - 1n, signal) : null
      if (attached === null && print === checkpoint.fingerprint) attached = usable
      else if (print !== checkpoint.fingerprint)
        logger.warn(
          `${describe(checkpoint)} does not fit the schema history: the record before offset ${end} is gone or another one`,
        )
    }
    return { attached, newest }
  }

  /** The checkpoints that there are; none, and a warning, when they cannot be read. */
  async read(signal: AbortSignal): Promise<readonly StoredCheckpoint[]> {
    const { history, server } = this.#options
    try {
      return await history.checkpoints.read(server, signal)
    } catch (error) {
      if (error instanceof StoppedError || isRetriable(error)) throw error
      this.#turnOff('read', error)
      return []
    }
  }

  #refusal({ model }: StoredCheckpoint, position: StreamPosition | null, stored: StreamPosition): string | null {
    if (model !== this.#model) return 'it was written by another version, or with other settings'
    if (position === null || !this.#options.flavor.isAtOrBefore(position, stored))
      return 'its position is after the stored offset'
    return null
  }

  /** Whether a record after the end of the checkpoint is not after its position. */
  isCovered({ position }: EarlierModel, recorded: StreamPosition): boolean {
    return this.#options.flavor.isAtOrBefore(recorded, position)
  }

  /** What the definitions depend on besides the records. */
  get #model(): string {
    const { flavor, settings } = this.#options
    const { lowerCaseTableNames, includesComments, skipsUnparseable, recordsOnlyCapturedTables } = settings
    return [
      `${STATE_FORM} ${flavor.name} lower_case_table_names=${lowerCaseTableNames} comments=${includesComments}`,
      `skip=${skipsUnparseable} captured=${recordsOnlyCapturedTables}`,
    ].join(' ')
  }

  /**
   * The model is that of the stored offset.
   *
   * @param records how many were read
   * @param ahead positions of records that were left out, since they are after the stored offset
   */
  recovered(stored: StreamPosition, records: number, ahead: readonly StreamPosition[]): void {
    this.#position = stored.toDocument()
    this.#uncovered = records
    this.#changedMs = this.#options.clock.now()
    this.#ahead = ahead
  }

  /** Records were appended to the history. */
  appended(position: OffsetDocument, records: number): void {
    this.#position = position
    this.#uncovered += records
    this.#changedMs = this.#options.clock.now()
  }

  /** The history was rebuilt: a checkpoint is wanted at once. */
  rebuilt(): void {
    this.#isUrgent = true
  }

  /** From here on, model and history agree between polls. */
  streams(): void {
    this.#isStreaming = true
  }

  /** To be called between polls: starts to write a checkpoint when one is due. */
  tick(): void {
    if (!this.#isOn || !this.#isStreaming || this.#uncovered === 0 || this.#work !== null) return
    const idleMs = this.#options.clock.now() - this.#changedMs
    if (!this.#isUrgent && this.#uncovered < RECORDS_ENOUGH && idleMs < IDLE_MS) return
    const { history } = this.#options
    const { end } = history
    const position = this.#position
    if (end === null) {
      this.#run(() => history.measure(this.#stop.signal))
      return
    }
    if (position === null || end === 0n || this.#isBeforeRecords(position)) return
    const state = this.#recordedState
    this.#uncovered = 0
    this.#isUrgent = false
    this.#run(() => this.#write(state, end, position))
  }

  get #recordedState(): ModelState {
    const { interpreter, isRecorded, isDatabaseRecorded } = this.#options
    const { tables, undefinedTables, databaseCharsets, ...others } = interpreter.state
    return {
      ...others,
      databaseCharsets: databaseCharsets.filter(([database]) => isDatabaseRecorded(database)),
      tables: tables.filter(({ id }) => isRecorded(id)),
      undefinedTables: undefinedTables.filter((id) => isRecorded(id)),
    }
  }

  /** Whether records of the history follow that the checkpoint would cover and must not. */
  #isBeforeRecords(document: OffsetDocument): boolean {
    if (this.#ahead.length === 0) return false
    // Compared once for each position: this runs before each poll.
    if (this.#comparedWith === document) return true
    this.#comparedWith = document
    const position = StreamPosition.parse(document)
    if (position === null) return true
    this.#ahead = this.#ahead.filter((recorded) => !this.#options.flavor.isAtOrBefore(recorded, position))
    return this.#ahead.length > 0
  }

  async #write(state: ModelState, end: bigint, position: OffsetDocument): Promise<void> {
    const { history, server, clock, logger } = this.#options
    const { signal } = this.#stop
    const fingerprint = await history.fingerprint(end - 1n, signal)
    if (fingerprint === null) return
    const startMs = clock.now()
    const header: CheckpointHeader = { server, end, fingerprint, position, model: this.#model, createdMs: startMs }
    await history.checkpoints.write(header, stateEntries(state), signal)
    logger.info(
      `A checkpoint of the schema history up to offset ${end} was written: ${state.tables.length} tables, in ${clock.now() - startMs} ms`,
    )
  }

  /** Beside the stream: an error must not reach it. */
  #run(work: () => Promise<void>): void {
    this.#work = work()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#turnOff('written', error)
      })
      .finally(() => {
        this.#work = null
      })
  }

  #turnOff(what: 'read' | 'written', thrown: unknown): void {
    this.#isOn = false
    this.#options.logger.warn(
      `Checkpoints of the schema history cannot be ${what}: each start reads the whole history. Permit the user of the connector to create, describe, read and write the topic of the schema history with the suffix -checkpoint`,
      { error: toError(thrown) },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#work
  }
}

function describe({ end }: StoredCheckpoint): string {
  return `The checkpoint up to offset ${end} of the schema history`
}

/** Reading so many takes less than half a second. */
const RECORDS_ENOUGH = 500
/** A few records are summed up once no more have followed for so long. */
const IDLE_MS = 60_000
