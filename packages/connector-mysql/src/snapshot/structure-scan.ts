import { type Column, type TableId, TableId as TableIds } from '@tributary/connector-kit'
import {
  type AlterAction,
  answeredWithin,
  type BinlogEvent,
  BinlogStream,
  type BinlogStreamOptions,
  mysqlErrors,
  type QueryEvent,
  type Statement,
  type TableMap,
  transactionControl,
} from '@tributary/mysql'
import { type Clock, StoppedError, unreachable, withTimeout } from '@tributary/support'
import { isDeepStrictEqual } from 'node:util'
import type { TableFilter } from '../config/table-filter.ts'
import type { ServerPosition } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { DdlOutcome } from '../schema/schema-change.ts'

export interface StructureScanOptions {
  readonly filter: TableFilter
  /** Its tables are those of the server as they are now. The scan changes them. */
  readonly interpreter: DdlInterpreter
}

/**
 * Finds rows in a part of the binlog that cannot be read by the structure at its end: rows of a table whose columns a
 * later statement of that part may have changed. A table that is created in that part is known from there on, as in the
 * stream.
 */
export class StructureScan {
  /** The findings as texts: table, statement and position. */
  readonly findings: string[] = []
  readonly #options: StructureScanOptions
  /** Captured tables that had rows so far, and whose definition at that time is unknown. */
  readonly #withRows = new Set<TableId>()
  /** Maps that need no further check. */
  #seen = new WeakSet<TableMap>()
  readonly #createdHere = new Set<TableId>()

  constructor(options: StructureScanOptions) {
    this.#options = options
  }

  observe(event: BinlogEvent, place: string): void {
    switch (event.tag) {
      case 'rows':
        return this.#rows(event.table)
      case 'query':
        return this.#statement(event, place)
      // None of these changes columns or has rows.
      case 'gtid':
      case 'mariadbGtid':
      case 'anonymousGtid':
      case 'previousGtids':
      case 'mariadbGtidList':
      case 'xid':
      case 'xaPrepare':
      case 'rotate':
      case 'incident':
      case 'heartbeat':
      case 'formatDescription':
      case 'tableMap':
      case 'statement':
      case 'stop':
      case 'ignored':
        return undefined
      default:
        return unreachable(event)
    }
  }

  #rows(map: TableMap): void {
    if (this.#seen.has(map)) return
    this.#seen.add(map)
    const id = TableIds.of(map.database, map.table)
    if (this.#withRows.has(id) || this.#createdHere.has(id) || !this.#options.filter.includesTable(id)) return
    this.#withRows.add(id)
  }

  #statement(query: QueryEvent, place: string): void {
    if (transactionControl(query.sql) !== null) return
    const { interpreter } = this.#options
    const columnsBefore = new Map<TableId, readonly Column[] | undefined>()
    for (const id of this.#withRows) columnsBefore.set(id, interpreter.tables.get(id)?.columns)
    const outcome = interpreter.interpret(query.sql, interpreter.sessionOf(query))
    const unclear = new Set(outcome.needsSchema.map(({ id }) => id))
    for (const [id, before] of columnsBefore) {
      const isSame = !unclear.has(id) && isDeepStrictEqual(before, interpreter.tables.get(id)?.columns)
      if (isSame && !mayChangeColumns(outcome, query.sql, id)) continue
      this.#withRows.delete(id)
      // More rows of the table may follow under the same map.
      this.#seen = new WeakSet()
      if (this.findings.length < FINDINGS_MAX)
        this.findings.push(`${String(id)} by '${shortened(query.sql)}' at ${place}`)
    }
    for (const { changes } of outcome.error === null ? outcome.events : []) {
      for (const { type, id, table } of changes) {
        if (type === 'CREATE' && table !== null) this.#createdHere.add(id)
      }
    }
  }
}

/**
 * Whether a statement may have changed columns of the table. Applied to the current structure it may change nothing,
 * since that is its result already: a converted charset, a moved column. So the kind of statement decides, not its
 * effect.
 */
function mayChangeColumns({ statement, events, error }: DdlOutcome, sql: string, id: TableId): boolean {
  if (error !== null) return sql.includes(id.table)
  if (statement?.tag === 'dropDatabase') return statement.database === id.database
  const isAbout = events.some(({ tables }) => tables.has(id))
  return isAbout && statement !== null && !leavesColumns(statement)
}

function leavesColumns(statement: Statement): boolean {
  switch (statement.tag) {
    case 'createIndex':
    case 'dropIndex':
    case 'truncateTable':
      return true
    case 'createTable':
      return statement.isIfNotExists
    case 'alterTable':
      return statement.actions.every(({ tag }) => ACTIONS_WITHOUT_COLUMNS.has(tag))
    default:
      return false
  }
}

/**
 * Actions that change no existing column. `tableOptions` is one: a new default charset applies to later columns only.
 */
const ACTIONS_WITHOUT_COLUMNS: ReadonlySet<AlterAction['tag']> = new Set<AlterAction['tag']>([
  'alterColumnDefault',
  'addKey',
  'dropPrimaryKey',
  'dropKey',
  'renameKey',
  'tableOptions',
  'other',
])

export interface ScanOptions {
  readonly binlog: BinlogStreamOptions
  readonly until: ServerPosition
  /** A connection that is silent for so long, without even a heartbeat, is lost. */
  readonly silenceMsMax: number
  readonly clock: Clock
}

/** What the events of a part of the binlog are shown to. */
export interface BinlogVisitor {
  /** True: it needs no more events. */
  readonly isOver?: boolean
  observe(event: BinlogEvent, place: string): void
}

/** Runs the scan over the binlog from a position up to `until`. */
export async function scanBinlog(scan: BinlogVisitor, options: ScanOptions, signal: AbortSignal): Promise<void> {
  await using stream = await openScan(options, signal)
  await readUntil(stream, scan, options, signal)
}

/** Opens the part of the binlog that a scan reads. */
export function openScan(
  { binlog, clock }: Pick<ScanOptions, 'binlog' | 'clock'>,
  signal: AbortSignal,
): Promise<BinlogStream> {
  const address = `${binlog.connection.host}:${binlog.connection.port}`
  return answeredWithin(
    { clock, limitMs: OPENING_MS_MAX, address, doing: () => 'requesting the binlog' },
    (limit) => BinlogStream.open(binlog, limit),
    signal,
  )
}

/** Shows the scan the events up to `until`. A later call continues after the last one of them. */
export async function readUntil(
  stream: BinlogStream,
  scan: BinlogVisitor,
  options: ScanOptions,
  signal: AbortSignal,
): Promise<void> {
  const { reader } = stream
  while (!isPast(reader, options.until)) {
    const event = stream.next()
    if (event === null) {
      await hear(stream, options, signal)
      continue
    }
    scan.observe(event, reader.place)
    if (scan.isOver === true) return
  }
}

function isPast({ file, nextPosition, isInsidePayload }: BinlogStream['reader'], until: ServerPosition): boolean {
  if (isInsidePayload || file === '') return false
  const [number, untilNumber] = [fileNumber(file), fileNumber(until.file)]
  return number > untilNumber || (number === untilNumber && nextPosition >= until.position)
}

async function hear(stream: BinlogStream, options: ScanOptions, signal: AbortSignal): Promise<void> {
  const { binlog, clock, silenceMsMax } = options
  try {
    await withTimeout(clock, silenceMsMax, (limit) => stream.wait(limit), signal)
  } catch (error) {
    if (!(error instanceof StoppedError) || signal.aborted) throw error
    throw mysqlErrors.MYSQL_CONNECTION_LOST({
      address: `${binlog.connection.host}:${binlog.connection.port}`,
      doing: 'reading the binlog',
      reason: `nothing arrived for ${silenceMsMax} ms, not even a heartbeat`,
    })
  }
}

function fileNumber(file: string): number {
  return Number(file.slice(file.lastIndexOf('.') + 1))
}

function shortened(sql: string): string {
  return sql.length > STATEMENT_CHARACTERS_MAX ? `${sql.slice(0, STATEMENT_CHARACTERS_MAX)}…` : sql
}

/** Login, and a server with thousands of binlog files. */
const OPENING_MS_MAX = 90_000
/** Enough for an error message. */
const FINDINGS_MAX = 5
const STATEMENT_CHARACTERS_MAX = 200
