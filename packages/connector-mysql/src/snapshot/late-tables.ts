import { TableId } from '@tributary/connector-kit'
import { type BinlogEvent, type MySqlConnection, serverErrno, transactionControl } from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { ServerPosition } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { mayCreate } from '../schema/statement-targets.ts'
import { quoted } from '../tables/quoted-name.ts'
import type { BinlogWatchOptions } from './binlog-watch.ts'
import { type BinlogVisitor, scanBinlog } from './structure-scan.ts'

export interface LateTablesOptions {
  readonly connection: MySqlConnection
  readonly interpreter: Pick<DdlInterpreter, 'sessionOf' | 'targetsOf'>
  readonly binlogFrom: BinlogWatchOptions['binlogFrom']
  readonly silenceMsMax: number
  readonly clock: Clock
  /** Tables that a list has, or that are not captured. */
  readonly isKnown: (id: TableId) => boolean
}

/**
 * For MySQL without GTIDs. A `CREATE TABLE … SELECT` is in the binlog before others see the table, with semi-synchronous
 * replication by seconds; so is a RENAME of a table with rows. If that is before the position and after the list of
 * tables, its rows would be in no event. MySQL begins a binlog file only when all transactions of the former one are
 * complete, so the statement is in the file of the position.
 *
 * Returns the first table with rows or a new name before the position that exists, and is not known. SHOW CREATE TABLE
 * waits until the statement is complete. Of a statement that is not understood, every word may be the name of a table.
 *
 * @throws SNAPSHOT_TABLES_CHANGED when such a statement has too many words; errors of the server and the connection
 */
export async function findLateTable(
  until: ServerPosition,
  { connection, interpreter, binlogFrom, silenceMsMax, clock, isKnown }: LateTablesOptions,
  signal: AbortSignal,
): Promise<TableId | null> {
  const changed = new NewTables(interpreter)
  const binlog = binlogFrom({ tag: 'position', file: until.file, position: FIRST_POSITION })
  await scanBinlog(changed, { binlog, until, silenceMsMax, clock }, signal)
  for (const id of changed.tables) if (!isKnown(id) && (await isThere(connection, id, signal))) return id
  return null
}

class NewTables implements BinlogVisitor {
  readonly tables = new Set<TableId>()
  readonly #interpreter: LateTablesOptions['interpreter']

  constructor(interpreter: LateTablesOptions['interpreter']) {
    this.#interpreter = interpreter
  }

  observe(event: BinlogEvent, place: string): void {
    if (event.tag === 'rows') this.tables.add(TableId.of(event.table.database, event.table.table))
    if (event.tag !== 'query' || transactionControl(event.sql) !== null) return
    const targets = this.#interpreter.targetsOf(event.sql, this.#interpreter.sessionOf(event))
    for (const id of mayCreate(targets)) this.tables.add(id)
    if (targets.tag === 'unclear') this.#addNamed(namedTables(event.sql, targets.database), place)
  }

  #addNamed(named: readonly TableId[], place: string): void {
    if (named.length > NAMES_MAX) {
      const reason = `whether the statement at ${place} has created one is not known: it is not understood, and has ${named.length} words. FLUSH BINARY LOGS begins a file without it`
      throw connectorErrors.SNAPSHOT_TABLES_CHANGED({ reason })
    }
    for (const id of named) this.tables.add(id)
  }
}

/** What may be the name of a table in a statement that is not understood, each with its database or that of the session. */
function namedTables(sql: string, database: string): readonly TableId[] {
  const qualified = Array.from(sql.matchAll(QUALIFIED), ([, first = '', second = '']) =>
    TableId.of(unquoted(first), unquoted(second)),
  )
  if (database === '') return qualified
  return [...qualified, ...Array.from(sql.matchAll(NAME), ([name]) => TableId.of(database, unquoted(name)))]
}

function unquoted(name: string): string {
  const quote = name.charAt(0)
  return quote === '`' || quote === '"' ? name.slice(1, -1).replaceAll(quote + quote, quote) : name
}

async function isThere(
  connection: MySqlConnection,
  { database, table }: TableId,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const sql = `SHOW CREATE TABLE ${quoted(database)}.${quoted(table)}`
    const [row] = await connection.query(sql, 'looking for a new table', { signal })
    // A view has no rows of its own.
    return row?.[1]?.startsWith('CREATE TABLE') === true
  } catch (error) {
    if (MISSING.has(serverErrno(error))) return false
    throw error
  }
}

/** https://dev.mysql.com/doc/refman/9.7/en/identifiers.html */
const NAME = /`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\w$\u0080-\uffff]+/g
const QUALIFIED = new RegExp(String.raw`(${NAME.source})\s*\.\s*(${NAME.source})`, 'g')
/** Each is looked up. */
const NAMES_MAX = 10_000
/** After the magic number. */
const FIRST_POSITION = 4
/** No such database, no such table, no privilege for it: then it is not captured either. */
const MISSING: ReadonlySet<number | null> = new Set([1049, 1146, 1142, 1044])
