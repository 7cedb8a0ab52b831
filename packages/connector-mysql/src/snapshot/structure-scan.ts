import { type Column, type TableId, TableId as TableIds } from '@tributary/connector-kit'
import {
  type BinlogEvent,
  BinlogStream,
  type BinlogStreamOptions,
  type QueryEvent,
  sqlModeOptions,
  type TableMap,
} from '@tributary/mysql'
import { isDeepStrictEqual } from 'node:util'
import type { TableFilter } from '../config/table-filter.ts'
import type { ServerPosition } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'

export interface StructureScanOptions {
  readonly filter: TableFilter
  /** Its tables are those of the server as they are now. They are changed by the scan. */
  readonly interpreter: DdlInterpreter
}

/**
 * Finds rows in a stretch of the binlog that cannot be read by the structure at its end: rows of a table whose columns a later
 * statement of the stretch changed. A table that is created in the stretch is known from there on, as in the stream.
 */
export class StructureScan {
  /** What was found, as texts: the table, the statement, and where it stands. */
  readonly findings: string[] = []
  readonly #options: StructureScanOptions
  /** Captured tables of which rows have come, and whose definition at that time is not known. */
  readonly #withRows = new Set<TableId>()
  /** One is parsed per table version and file. */
  readonly #seen = new WeakSet<TableMap>()
  readonly #createdHere = new Set<TableId>()

  constructor(options: StructureScanOptions) {
    this.#options = options
  }

  observe(event: BinlogEvent, place: string): void {
    if (event.tag === 'rows') this.#rows(event.table)
    else if (event.tag === 'query') this.#statement(event, place)
  }

  #rows(map: TableMap): void {
    if (this.#seen.has(map)) return
    this.#seen.add(map)
    const id = TableIds.of(map.database, map.table)
    if (this.#withRows.has(id) || this.#createdHere.has(id) || !this.#options.filter.includesTable(id)) return
    this.#withRows.add(id)
  }

  #statement(query: QueryEvent, place: string): void {
    if (TRANSACTION_WORD.test(query.sql)) return
    const { interpreter } = this.#options
    const columnsBefore = new Map<TableId, readonly Column[] | undefined>()
    for (const id of this.#withRows) columnsBefore.set(id, interpreter.tables.get(id)?.columns)
    const { events, needsSchema, error } = interpreter.interpret(query.sql, {
      database: query.database === '' ? null : query.database,
      ...(query.sqlMode === null ? {} : sqlModeOptions(query.sqlMode)),
    })
    const unclear = new Set(needsSchema.map(({ id }) => id))
    for (const [id, before] of columnsBefore) {
      const after = interpreter.tables.get(id)?.columns
      if (!unclear.has(id) && isDeepStrictEqual(before, after)) continue
      this.#withRows.delete(id)
      if (this.findings.length < FINDINGS_MAX)
        this.findings.push(`${String(id)} by '${shortened(query.sql)}' at ${place}`)
    }
    for (const { changes } of error === null ? events : []) {
      for (const { type, id, table } of changes) {
        if (type === 'CREATE' && table !== null) this.#createdHere.add(id)
      }
    }
  }
}

/** Reads the binlog from a position up to the one that the server had, through the scan. */
export async function scanBinlog(
  scan: StructureScan,
  options: BinlogStreamOptions,
  until: ServerPosition,
  signal: AbortSignal,
): Promise<void> {
  await using stream = await BinlogStream.open(options, signal)
  const { reader } = stream
  const untilNumber = fileNumber(until.file)
  for (;;) {
    const event = stream.next()
    if (event === null) {
      await stream.wait(signal)
      continue
    }
    scan.observe(event, reader.place)
    const number = fileNumber(reader.file)
    if (number > untilNumber || (number === untilNumber && reader.nextPosition >= until.position)) return
  }
}

function fileNumber(file: string): number {
  return Number(file.slice(file.lastIndexOf('.') + 1))
}

function shortened(sql: string): string {
  return sql.length > STATEMENT_CHARACTERS_MAX ? `${sql.slice(0, STATEMENT_CHARACTERS_MAX)}…` : sql
}

/** They come with every transaction, and are nothing to parse. */
const TRANSACTION_WORD = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|XA )/i
/** More of them nobody reads. */
const FINDINGS_MAX = 5
const STATEMENT_CHARACTERS_MAX = 200
