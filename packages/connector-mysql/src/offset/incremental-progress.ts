import type { OffsetDocument } from '@tributary/connect-api'
import { TableId } from '@tributary/connector-kit'
import { connectorErrors } from '../errors.ts'

/** A table of an incremental snapshot that is not complete. */
export interface SnapshotCollection {
  readonly id: TableId
  /** Only rows for which it is true; null: all. */
  readonly condition: string | null
  /** The column that its rows are ordered by; null: its key. */
  readonly surrogateKey: string | null
  /** The id of the signal that asked for it. */
  readonly correlationId: string | null
  /** Belongs to an initial snapshot without a lock: without anybody's decision none of its rows may be missing. */
  readonly isInitial?: boolean
}

/** A key in an offset. */
export interface StoredKey {
  /** In our own form; null in an offset of Debezium. */
  readonly point: readonly string[] | null
  /** In that of Debezium; null: it has none for such a key. */
  readonly java: string | null
  /** What the order of keys depends on; null in an offset of Debezium. */
  readonly signature: string | null
}

/**
 * The tables belong to an initial snapshot without a lock. Debezium continues their copy if its own configuration permits
 * incremental snapshots; otherwise it would ignore it, so the offset makes it begin the snapshot again.
 */
export type InitialCopy = 'continued by debezium' | 'begun again by debezium'

interface Parts {
  readonly initial: InitialCopy | null
  readonly collections: readonly SnapshotCollection[]
  readonly blocking: readonly SnapshotCollection[]
  readonly last: StoredKey | null
  readonly maximum: StoredKey | null
  readonly isPaused: boolean
  readonly signalOffset: bigint | null
  readonly signalIds: readonly string[]
}

/**
 * How far the incremental snapshot is, and which signals were handled. Part of the offset. It never changes: positions
 * share it.
 */
export class IncrementalProgress {
  static readonly none: IncrementalProgress = new IncrementalProgress({
    initial: null,
    collections: [],
    blocking: [],
    last: null,
    maximum: null,
    isPaused: false,
    signalOffset: null,
    signalIds: [],
  })
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Reads the keys of a stored offset, also of one of Debezium. A key that cannot be read makes the current table start
   * again: its rows are repeated, none is missing.
   *
   * @throws OFFSET_UNREADABLE for a list of tables that cannot be read: to ignore it would end their snapshot
   */
  static parse(document: OffsetDocument): IncrementalProgress {
    const listed = document[COLLECTIONS]
    const collections = listed === undefined || listed === null ? [] : parseCollections(listed)
    if (collections === null)
      throw connectorErrors.OFFSET_UNREADABLE({ key: COLLECTIONS, value: JSON.stringify(String(listed)) })
    const signalOffset = document[SIGNAL_OFFSET]
    const offset = typeof signalOffset === 'number' || typeof signalOffset === 'bigint' ? BigInt(signalOffset) : null
    // Our own: Debezium does not continue a blocking snapshot.
    const blocking = (parseCollections(document[BLOCKING]) ?? []).map(asOther)
    const signalIds = textsOf(parsedJson(document[SIGNAL_IDS])) ?? []
    if (collections.length === 0) {
      if (offset === null && blocking.length === 0 && signalIds.length === 0) return IncrementalProgress.none
      return new IncrementalProgress({ ...IncrementalProgress.none.#parts, blocking, signalOffset: offset, signalIds })
    }
    const own = parseOwn(document[OWN])
    const initial = initialOf(document)
    return new IncrementalProgress({
      initial,
      collections: initial === null ? collections.map(asOther) : collections,
      blocking,
      last: storedKey(own.last, document[LAST], own.signature),
      maximum: storedKey(own.maximum, document[MAXIMUM], own.signature),
      isPaused: document[PAUSED] === true,
      signalOffset: offset,
      signalIds,
    })
  }

  /** The tables that are not complete; the first one is read. */
  get collections(): readonly SnapshotCollection[] {
    return this.#parts.collections
  }

  /** The tables of a blocking snapshot, until it is complete; their conditions are statements that select the rows. */
  get blocking(): readonly SnapshotCollection[] {
    return this.#parts.blocking
  }

  /** Rows of the first table up to this key are done; null: none. */
  get last(): StoredKey | null {
    return this.#parts.last
  }

  /** The last key of the first table when it was begun: later rows are in the stream. Null: not known yet. */
  get maximum(): StoredKey | null {
    return this.#parts.maximum
  }

  get isPaused(): boolean {
    return this.#parts.isPaused
  }

  /** The last record of the signal topic that was handled; null: none. */
  get signalOffset(): bigint | null {
    return this.#parts.signalOffset
  }

  /** The ids of the last 16 signals of the REST interface: none of them is run twice. */
  get signalIds(): readonly string[] {
    return this.#parts.signalIds
  }

  /** The one that the next id pushes out; null: none. */
  get oldestSignalId(): string | null {
    const { signalIds } = this.#parts
    return signalIds.length < SIGNAL_IDS_MAX ? null : (signalIds[0] ?? null)
  }

  get isActive(): boolean {
    return this.#parts.collections.length > 0
  }

  /** Whether tables of an initial snapshot without a lock are not complete. */
  get isInitial(): boolean {
    return this.#parts.initial !== null
  }

  /** The copy of an initial snapshot begins. */
  withInitial(collections: readonly SnapshotCollection[], initial: InitialCopy): IncrementalProgress {
    if (collections.length === 0) return this
    const all = this.withAdded(collections).collections
    const isInitial = (each: SnapshotCollection): boolean => collections.some((other) => selectsSameRows(each, other))
    return this.#with({
      initial,
      collections: all.map((each) => (isInitial(each) ? { ...each, isInitial: true } : each)),
    })
  }

  /** The first table can be copied only later. It then starts again. */
  withFirstLast(): IncrementalProgress {
    const [first, ...others] = this.#parts.collections
    if (first === undefined || others.length === 0) return this
    return this.#with({ collections: [...others, first], last: null, maximum: null })
  }

  /**
   * With more tables, that a signal asks for. One that waits already for the same rows stays where it is. The first one may
   * have been begun: who asks for it again wants all of its rows from now on.
   */
  withCollections(more: readonly SnapshotCollection[]): IncrementalProgress {
    return this.#withOthers(more, this.#parts.collections.slice(1))
  }

  /** With tables that are to be copied once, at whatever time: one that is being copied is not copied again. */
  withAdded(more: readonly SnapshotCollection[]): IncrementalProgress {
    return this.#withOthers(more, this.#parts.collections)
  }

  #withOthers(more: readonly SnapshotCollection[], known: readonly SnapshotCollection[]): IncrementalProgress {
    const added = more.filter((each) => !known.some((other) => selectsSameRows(each, other)))
    return added.length === 0 ? this : this.#with({ collections: [...this.#parts.collections, ...added] })
  }

  /**
   * With the new names of tables. The one that is being copied starts again: another table may have its name.
   *
   * @param oldNames by the new ones
   */
  withRenamed(oldNames: ReadonlyMap<TableId, TableId>, isCaptured: (id: TableId) => boolean): IncrementalProgress {
    const newNames = new Map(Array.from(oldNames, ([to, from]) => [from, to]))
    const { collections, blocking } = this.#parts
    const renamed = (list: readonly SnapshotCollection[]): readonly SnapshotCollection[] => {
      const all = list.flatMap((each) => {
        const id = newNames.get(each.id)
        if (id === undefined || !isCaptured(id)) return [each]
        // Rows of a name that another table takes over continue under it.
        return oldNames.has(each.id) ? [each, { ...each, id }] : [{ ...each, id }]
      })
      return all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)
    }
    const isTouched = (id: TableId): boolean => newNames.has(id) || oldNames.has(id)
    if (![...collections, ...blocking].some(({ id }) => isTouched(id))) return this
    const [first] = collections
    const keys = first !== undefined && isTouched(first.id) ? { last: null, maximum: null } : {}
    return this.#with({ collections: renamed(collections), blocking: renamed(blocking), ...keys })
  }

  withBlocking(blocking: readonly SnapshotCollection[]): IncrementalProgress {
    return this.#with({ blocking })
  }

  /** The first table is complete, or cannot be copied. Others of the same name, with other conditions, stay. */
  withoutFirst(): IncrementalProgress {
    return this.#withRest(this.#parts.collections.slice(1))
  }

  /** Without these tables. */
  without(ids: ReadonlySet<TableId>): IncrementalProgress {
    return this.#withRest(this.#parts.collections.filter(({ id }) => !ids.has(id)))
  }

  #withRest(rest: readonly SnapshotCollection[]): IncrementalProgress {
    const { collections, blocking, signalOffset, signalIds } = this.#parts
    if (rest.length === 0)
      return new IncrementalProgress({ ...IncrementalProgress.none.#parts, blocking, signalOffset, signalIds })
    const isOther = rest[0] !== collections[0]
    const initial = rest.some(({ isInitial }) => isInitial === true) ? this.#parts.initial : null
    return this.#with({ initial, collections: rest, ...(isOther ? { last: null, maximum: null } : {}) })
  }

  /**
   * For a snapshot that begins: without the tables of which it reads all rows. The others are copied from their first row
   * on, since changes between the former position and the snapshot may be in no event.
   */
  beforeSnapshot(readsAll: (id: TableId) => boolean): IncrementalProgress {
    const collections = this.#parts.collections.filter(({ id }) => !readsAll(id)).map(asOther)
    const blocking = this.#parts.blocking.filter(({ id }) => !readsAll(id))
    const isPaused = this.#parts.isPaused && collections.length > 0
    return this.#with({ initial: null, collections, blocking, last: null, maximum: null, isPaused })
  }

  withKeys(last: StoredKey | null, maximum: StoredKey | null): IncrementalProgress {
    return this.#with({ last, maximum })
  }

  paused(isPaused: boolean): IncrementalProgress {
    return isPaused === this.isPaused ? this : this.#with({ isPaused })
  }

  withSignalOffset(signalOffset: bigint): IncrementalProgress {
    return this.#with({ signalOffset })
  }

  withSignalId(id: string): IncrementalProgress {
    return this.#with({ signalIds: [...this.#parts.signalIds, id].slice(-SIGNAL_IDS_MAX) })
  }

  /** Whether offsets have the same keys with both. */
  equals(other: IncrementalProgress): boolean {
    return this === other || textOfKeys(this) === textOfKeys(other)
  }

  /** Debezium ignores it. Without it a table belongs to the initial snapshot, if that is not complete. */
  #origin({ isInitial }: SnapshotCollection): Readonly<Record<string, string>> {
    return this.#parts.initial === null || isInitial === true ? {} : { [ORIGIN]: 'other' }
  }

  #with(parts: Partial<Parts>): IncrementalProgress {
    return new IncrementalProgress({ ...this.#parts, ...parts })
  }

  /** The keys of Debezium, then our own; none when there is nothing to remember. */
  toDocument(): OffsetDocument {
    const { collections, blocking, last, maximum, isPaused, signalOffset, signalIds } = this.#parts
    const signal: OffsetDocument = {
      ...(signalOffset === null ? {} : { [SIGNAL_OFFSET]: signalOffset }),
      ...(signalIds.length === 0 ? {} : { [SIGNAL_IDS]: JSON.stringify(signalIds) }),
    }
    const waiting: OffsetDocument = blocking.length === 0 ? {} : { [BLOCKING]: JSON.stringify(blocking.map(printed)) }
    const [first] = collections
    if (first === undefined) return { ...signal, ...waiting }
    const own = {
      last: last?.point ?? null,
      maximum: maximum?.point ?? null,
      signature: last?.signature ?? null,
    }
    return {
      ...(this.#parts.initial === null ? {} : { [INITIAL]: this.#parts.initial }),
      ...(this.#parts.initial === 'begun again by debezium' ? { snapshot: 'INITIAL' } : {}),
      [COLLECTIONS]: JSON.stringify(collections.map((each) => ({ ...printed(each), ...this.#origin(each) }))),
      ...(last === null || last.java === null ? {} : { [LAST]: last.java }),
      ...(maximum === null || maximum.java === null ? {} : { [MAXIMUM]: maximum.java }),
      ...(first.correlationId === null ? {} : { [CORRELATION]: first.correlationId }),
      ...signal,
      ...(own.last === null && own.maximum === null ? {} : { [OWN]: JSON.stringify(own) }),
      ...(isPaused ? { [PAUSED]: true } : {}),
      ...waiting,
    }
  }
}

function asOther({ id, condition, surrogateKey, correlationId }: SnapshotCollection): SnapshotCollection {
  return { id, condition, surrogateKey, correlationId }
}

function selectsSameRows(a: SnapshotCollection, b: SnapshotCollection): boolean {
  return a.id === b.id && a.condition === b.condition && a.surrogateKey === b.surrogateKey
}

function textOfKeys(progress: IncrementalProgress): string {
  return JSON.stringify(progress.toDocument(), (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

const COLLECTIONS = 'incremental_snapshot_collections'
const ORIGIN = 'incremental_snapshot_collections_origin'
const LAST = 'incremental_snapshot_primary_key'
const MAXIMUM = 'incremental_snapshot_maximum_key'
const CORRELATION = 'incremental_snapshot_correlation_id'
const SIGNAL_OFFSET = 'incremental_snapshot_signal_offset'
/** Debezium ignores these, and does not copy them: so they are never older than its own keys. */
const BLOCKING = 'blocking_snapshot_collections'
const OWN = 'incremental_snapshot_points'
const PAUSED = 'incremental_snapshot_paused'
/** Debezium does not copy it either: an offset of Debezium has `snapshot` for a snapshot of its own only. */
const INITIAL = 'initial_snapshot_copy'

function initialOf({ [INITIAL]: value }: OffsetDocument): InitialCopy | null {
  return INITIAL_COPIES.find((each) => each === value) ?? null
}

const INITIAL_COPIES: readonly InitialCopy[] = ['continued by debezium', 'begun again by debezium']
const SIGNAL_IDS = 'incremental_snapshot_signal_ids'
/** Each offset has them; a request is repeated within minutes. */
const SIGNAL_IDS_MAX = 16

function storedKey(point: readonly string[] | null, java: unknown, signature: string | null): StoredKey | null {
  const hex = typeof java === 'string' && java !== '' ? java : null
  return point === null && hex === null ? null : { point, java: hex, signature }
}

function printed({
  id,
  condition,
  surrogateKey,
  correlationId,
}: SnapshotCollection): Readonly<Record<string, unknown>> {
  return {
    [`${COLLECTIONS}_id`]: id.toString(),
    [`${COLLECTIONS}_additional_condition`]: condition,
    [`${COLLECTIONS}_surrogate_key`]: surrogateKey,
    [`${COLLECTIONS}_correlation_id`]: correlationId,
  }
}

/** Null when the value is no such list. */
function parseCollections(value: unknown): readonly SnapshotCollection[] | null {
  const list = parsedJson(value)
  if (!Array.isArray(list)) return null
  const collections: SnapshotCollection[] = []
  for (const entry of list as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null) return null
    const fields = entry as Readonly<Record<string, unknown>>
    const id = fields[`${COLLECTIONS}_id`]
    if (typeof id !== 'string' || id === '') return null
    collections.push({
      id: idOf(id),
      condition: textOf(fields[`${COLLECTIONS}_additional_condition`]),
      surrogateKey: textOf(fields[`${COLLECTIONS}_surrogate_key`]),
      correlationId: textOf(fields[`${COLLECTIONS}_correlation_id`]),
      ...(fields[ORIGIN] === undefined ? { isInitial: true } : {}),
    })
  }
  return collections
}

/** Names may contain dots: everything after the first one is the table, as in Debezium. */
function idOf(text: string): TableId {
  const dot = text.indexOf('.')
  return text.startsWith('"') || dot < 0 ? TableId.parse(text) : TableId.of(text.slice(0, dot), text.slice(dot + 1))
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

interface OwnKeys {
  readonly last: readonly string[] | null
  readonly maximum: readonly string[] | null
  readonly signature: string | null
}

function parseOwn(value: unknown): OwnKeys {
  const parsed = parsedJson(value)
  if (typeof parsed !== 'object' || parsed === null) return { last: null, maximum: null, signature: null }
  const { last, maximum, signature } = parsed as Readonly<Record<string, unknown>>
  return { last: textsOf(last), maximum: textsOf(maximum), signature: textOf(signature) }
}

function textsOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null
}

/** Undefined: it is not JSON. */
function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
