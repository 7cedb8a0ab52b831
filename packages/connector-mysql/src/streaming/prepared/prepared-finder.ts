import type { TableId } from '@tributary/connector-kit'
import { type BinlogEvent, MySqlConnection, transactionControl, xidOfStatement } from '@tributary/mysql'
import type { Logger } from '@tributary/support'
import { binlogFiles } from '../../flavor/binlog-files.ts'
import type { DdlInterpreter } from '../../schema/ddl-interpreter.ts'
import { concernsTable, type SameTable, type StatementTargets } from '../../schema/statement-targets.ts'
import { type BinlogAheadOptions, readAhead } from '../binlog-ahead.ts'
import { comparePlaces, type LogPlace } from '../log-place.ts'
import { placesToSearch } from './places-to-search.ts'
import { placeOf } from '../event-place.ts'
import { type UndonePart, UndoneParts } from '../rollbacks/undone-parts.ts'
import type { PreparedTransaction } from './prepared-transaction.ts'

export interface PreparedFinderOptions {
  readonly ahead: BinlogAheadOptions
  readonly interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>
  readonly isSame: SameTable
  readonly logger: Logger
}

/** Where to look for a prepared transaction. */
export interface PreparedSearch {
  readonly xid: string
  /** Where the statement is that commits it. */
  readonly before: LogPlace
  readonly inspect: (connection: MySqlConnection, signal?: AbortSignal) => Promise<void>
}

/** What the events of a file show of the transaction. */
interface FileFinding {
  /** Null: it is not prepared at the end of the file. */
  found: { readonly from: LogPlace; readonly until: LogPlace; readonly undone: readonly UndonePart[] } | null
  /** True: an earlier transaction of that xid ended here, so the search is over. */
  isClosed: boolean
  /** Statements that may change definitions, after it was prepared. */
  changes: StatementTargets[]
}

/**
 * Finds a transaction that was prepared before the connector started, or so long ago that it is not kept: reads the
 * binlog files backwards, each from its start. While the stream reads a spool, also files that only the spool has.
 */
export class PreparedFinder {
  readonly #options: PreparedFinderOptions

  constructor(options: PreparedFinderOptions) {
    this.#options = options
  }

  /**
   * Null: the binlog does not have it any more.
   *
   * @throws errors of the connection; StoppedError
   */
  async find({ xid, before, inspect }: PreparedSearch, signal: AbortSignal): Promise<PreparedTransaction | null> {
    const { ahead, logger, isSame } = this.#options
    const names = await this.#filesOfServer(inspect, signal)
    const places = placesToSearch(names, ahead.spooled?.first ?? null, before)
    const later: StatementTargets[] = []
    let until = before
    for (const from of places.toReversed()) {
      logger.info(`Looking for the rows of the XA transaction ${xid} in ${from.file}`)
      const scan = new FileScan(xid, before, this.#options.interpreter)
      await readAhead(ahead, { from, until, inspect }, (event, reader) => scan.take(event, reader), signal)
      const { found, isClosed, changes } = scan.finding
      for (const targets of changes) later.push(targets)
      if (found !== null) {
        const hasChanged = (id: TableId): boolean => later.some((targets) => concernsTable(targets, id, isSame))
        return { ...found, rows: null, hasChanged }
      }
      if (isClosed) return null
      until = from
    }
    return null
  }

  async #filesOfServer(inspect: PreparedSearch['inspect'], signal: AbortSignal): Promise<readonly string[]> {
    await using connection = await MySqlConnection.open(this.#options.ahead.connection, signal)
    await inspect(connection, signal)
    return await binlogFiles(connection, signal)
  }
}

/** Follows the events of one file. */
class FileScan {
  readonly finding: FileFinding = { found: null, isClosed: false, changes: [] }
  readonly #xid: string
  readonly #before: LogPlace
  readonly #interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>
  /** The XA transaction whose events are read; null: the events are of another one. */
  #begin: BeginSeen | null = null

  constructor(xid: string, before: LogPlace, interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>) {
    this.#xid = xid
    this.#before = before
    this.#interpreter = interpreter
  }

  take(event: BinlogEvent, { file, position, nextPosition, order }: EventPlace): void {
    if (comparePlaces({ file, position }, this.#before) >= 0) return
    switch (event.tag) {
      case 'mariadbGtid':
        if (event.isXa) this.#enter({ file, position })
        else this.#begin = null
        return
      case 'xaPrepare':
        if (event.xid !== this.#xid) return
        if (event.isOnePhase || this.#begin === null) this.#close()
        else this.#open(this.#begin, { file, position: nextPosition })
        return
      case 'query':
        this.#takeStatement(event, { file, position }, order)
        return
      default:
    }
  }

  #takeStatement(event: Extract<BinlogEvent, { tag: 'query' }>, place: LogPlace, order: number): void {
    const { sql } = event
    const control = transactionControl(sql)
    if (control?.tag === 'begin') {
      if (control.isXa) this.#enter(place)
      else this.#begin = null
    } else if (control?.tag === 'inside') this.#begin?.undone.takeStatement(sql, order)
    else if (control?.tag === 'end' && (control.by === 'XA COMMIT' || control.by === 'XA ROLLBACK')) {
      if (xidOfStatement(sql) === this.#xid) this.#close()
    } else if (control === null) {
      const targets = this.#interpreter.targetsOf(sql, this.#interpreter.sessionOf(event))
      if (targets.tag !== 'none') this.finding.changes.push(targets)
    }
  }

  #enter(place: LogPlace): void {
    const { file } = place
    const undone = new UndoneParts(place.position, (position) => placeOf({ file, position }))
    this.#begin = { place, undone }
  }

  #open({ place, undone }: BeginSeen, until: LogPlace): void {
    this.#begin = null
    this.finding.found = { from: place, until, undone: undone.parts }
    this.finding.isClosed = false
    this.finding.changes = []
  }

  #close(): void {
    this.finding.found = null
    this.finding.isClosed = true
    this.finding.changes = []
  }
}

interface BeginSeen {
  readonly place: LogPlace
  readonly undone: UndoneParts
}

interface EventPlace {
  readonly file: string
  readonly position: number
  readonly nextPosition: number
  readonly order: number
}
