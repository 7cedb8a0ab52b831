import type { HistoryExtent, HistoryNumbers, HistoryRecord, SchemaHistory, TableId } from '@tributary/connector-kit'
import type { Clock, Logger } from '@tributary/support'
import type { Flavor } from './flavor/flavor.ts'
import type { HistoryCheckpoints } from './history-checkpoints.ts'
import { StreamPosition } from './offset/stream-position.ts'
import { RepeatedRecords } from './repeated-records.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import { EMPTY_STATE } from './schema/model-state.ts'
import type { EarlierModel, HistoryLoss } from './snapshot/history-loss.ts'

export interface HistoryRecovery {
  readonly history: SchemaHistory
  readonly interpreter: DdlInterpreter
  readonly checkpoints: HistoryCheckpoints
  readonly flavor: Flavor
  /** Changes after it are left out: the stream applies them. */
  readonly stored: StreamPosition
  /** Whether an unfinished snapshot continues at that position. Default: false. */
  readonly isInSnapshot?: boolean
  /** `topic.prefix`: records of other connectors are ignored. */
  readonly server: string
  readonly numbers: HistoryNumbers
  readonly clock: Clock
  readonly logger: Logger
}

/** What the records of a part of the history led to. */
interface Replay {
  /** Records of this connector up to the stored offset. */
  readonly applied: number
  readonly ahead: readonly StreamPosition[]
  /** The last snapshot of the history is not, or need not be, the one at the stored position. */
  readonly hasLaterSnapshot: boolean
  /** Offsets of records that cannot be read. */
  readonly unreadable: readonly bigint[]
  /** Tables that a lost record may have changed. */
  readonly doubtful: readonly TableId[]
  /** The history was continued from an earlier position than that of the checkpoint. */
  readonly isStale: boolean
  /** Of the records that were read, and not before the first one of them. Null: there is no history. */
  readonly extent: HistoryExtent | null
}

/**
 * Brings the table model to the stored position: from a checkpoint and the records that follow it, or from all records.
 * The stream checks that the server has what follows that position.
 *
 * @returns what is missing of the history; null when it is complete
 */
export async function recoverHistory(recovery: HistoryRecovery, signal: AbortSignal): Promise<HistoryLoss | null> {
  const { history, checkpoints, stored, interpreter, logger, numbers, clock } = recovery
  numbers.recoveryStartMs = clock.now()
  const written = await checkpoints.read(signal)
  // Without a checkpoint, the reader of the records finds out the same.
  const before = written.length === 0 ? null : await history.extent(signal)
  const { attached, newest } = await checkpoints.find(written, stored, before, signal)
  const found = attached === null ? null : await fromCheckpoint(recovery, attached, signal)
  const replayed = found ?? (await replay(recovery, null, signal))
  const { applied, ahead, unreadable, doubtful } = replayed
  const extent = before ?? replayed.extent
  const loss = (reason: string): HistoryLoss => ({ reason, isComplete: true, checkpoint: newest })
  if (extent === null) return loss('does not exist')
  if (extent.begin === extent.end) return loss('is empty')
  logger.info(`Finished database schema history recovery of ${applied} change(s)`)
  numbers.recovered = applied
  if (applied > 0) numbers.lastRecoveredMs = clock.now()
  checkpoints.recovered(stored, applied, ahead)
  if (found === null && applied === 0) return loss('has no record of this connector up to its stored offset')
  // A snapshot that began again may have recorded a part of its structure only, which later starts would apply.
  if (recovery.isInSnapshot === true && replayed.hasLaterSnapshot)
    return loss('has records of a snapshot that was begun later')
  const damage = damageOf(extent, found !== null, unreadable)
  if (damage === null) return null
  for (const id of doubtful) interpreter.forget(id)
  return { reason: damage, isComplete: false, checkpoint: newest }
}

/** Null: the checkpoint does not fit after all. */
async function fromCheckpoint(
  recovery: HistoryRecovery,
  checkpoint: EarlierModel,
  signal: AbortSignal,
): Promise<Replay | null> {
  const { interpreter, logger } = recovery
  interpreter.restore(checkpoint.state())
  const tables = interpreter.tables.size
  const replayed = await replay(recovery, checkpoint, signal)
  if (!replayed.isStale) {
    logger.info(`The schema history begins with its checkpoint up to offset ${checkpoint.end}: ${tables} tables`)
    return replayed
  }
  logger.warn(
    `The checkpoint up to offset ${checkpoint.end} of the schema history is ignored: the history was continued from an earlier position than that of the checkpoint`,
  )
  interpreter.restore(EMPTY_STATE)
  return null
}

async function replay(
  { history, interpreter, checkpoints, flavor, stored, server }: HistoryRecovery,
  checkpoint: EarlierModel | null,
  signal: AbortSignal,
): Promise<Replay> {
  const records = new RepeatedRecords(interpreter)
  const damage = new Damage(interpreter)
  const ahead: StreamPosition[] = []
  let applied = 0
  let isStale = false
  const snapshots = new RecordedSnapshots(stored)
  const apply = (record: HistoryRecord): void => {
    if (record.source['server'] !== server) return
    const recorded = StreamPosition.parse(record.position)
    if (recorded === null) return
    if (recorded.isSnapshotUnfinished) snapshots.observe(recorded, record)
    if (checkpoint !== null && checkpoints.isCovered(checkpoint, recorded)) isStale = true
    if (!flavor.isAtOrBefore(recorded, stored)) {
      ahead.push(recorded)
      return
    }
    const outcome = records.recover(record)
    damage.observe(record, outcome)
    applied += 1
  }
  const onUnreadable = (offset: bigint): void => damage.add(offset)
  const extent = await history.recover(apply, {
    ...(checkpoint === null ? {} : { from: checkpoint.end }),
    onUnreadable,
    signal,
  })
  return {
    applied,
    ahead,
    hasLaterSnapshot: snapshots.hasLater,
    unreadable: damage.offsets,
    doubtful: damage.doubtful,
    isStale,
    extent,
  }
}

/** Finds out whether the last structure that a snapshot has recorded is the one of the stored position. */
class RecordedSnapshots {
  hasLater = false
  readonly #stored: StreamPosition
  /** Snapshots at that position and time. */
  #own = 0

  constructor(stored: StreamPosition) {
    this.#stored = stored
  }

  observe(recorded: StreamPosition, { ddl }: HistoryRecord): void {
    const isOwn = recorded.isSamePlace(this.#stored) && recorded.timestampSeconds === this.#stored.timestampSeconds
    if (isOwn && ddl?.startsWith(FIRST_STATEMENT) === true) this.#own += 1
    this.hasLater = !isOwn || this.#own > 1
  }
}

/** Of the structure that a snapshot records. */
const FIRST_STATEMENT = 'SET character_set_server='

/** Finds the tables whose definitions are older than a record that cannot be read: it may have changed each of them. */
class Damage {
  readonly offsets: bigint[] = []
  readonly #interpreter: DdlInterpreter
  /** Since the last such record. */
  readonly #defined = new Set<TableId>()

  constructor(interpreter: DdlInterpreter) {
    this.#interpreter = interpreter
  }

  add(offset: bigint): void {
    this.offsets.push(offset)
    this.#defined.clear()
    this.#interpreter.forgetCharsets()
  }

  observe({ changes }: HistoryRecord, outcome: ReturnType<RepeatedRecords['recover']>): void {
    if (this.offsets.length === 0) return
    for (const { id, table } of changes) if (table !== null) this.#defined.add(id)
    for (const event of outcome?.events ?? [])
      for (const { id, type } of event.changes) if (type === 'CREATE') this.#defined.add(id)
  }

  get doubtful(): readonly TableId[] {
    if (this.offsets.length === 0) return []
    return Array.from(this.#interpreter.tables, ({ id }) => id).filter((id) => !this.#defined.has(id))
  }
}

/** What is missing of a history that has records; null when nothing is. */
function damageOf({ begin }: HistoryExtent, isFromCheckpoint: boolean, unreadable: readonly bigint[]): string | null {
  const lacks = begin > 0n && !isFromCheckpoint ? [`lacks its records before offset ${begin}`] : []
  const [first] = unreadable
  const others = unreadable.length > 1 ? ` and ${unreadable.length - 1} others` : ''
  const damaged = first === undefined ? [] : [`has records that cannot be read: at offset ${first}${others}`]
  const parts = [...lacks, ...damaged]
  return parts.length === 0 ? null : parts.join(', and ')
}
