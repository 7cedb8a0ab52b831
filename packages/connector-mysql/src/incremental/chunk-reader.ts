import { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import { type MySqlConnectionOptions, RowStream, serverErrno, type TextRow, type WaitOptions } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import { readVariables } from '../flavor/server-variables.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { openSession } from '../snapshot/snapshot-session.ts'
import { snapshotSelect } from '../snapshot/snapshot-select.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { ChunkKey, KeyPoint } from '../chunks/chunk-key.ts'
import { keySignature } from '../chunks/key-signature.ts'
import { ChunkQuery, type ChunkSpan } from '../chunks/chunk-query.ts'
import { type BinlogPlace, openView, type ReadView } from '../chunks/read-view.ts'
import { estimateRowsLeft } from '../chunks/rows-left.ts'
import { estimateRows, wantNewEstimates } from '../snapshot/row-count-order.ts'
import { type ChunkRows, EncodedRows } from './chunk-rows.ts'
import { checkDefinition, createStatement } from './definition-check.ts'
import { NO_MARKERS, type WindowMarkers } from './window-markers.ts'

export interface ChunkReaderOptions {
  readonly connection: MySqlConnectionOptions
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly interpreter: Pick<DdlInterpreter, 'derive'>
  /** `incremental.snapshot.chunk.size` */
  readonly rowsMax: number
  /** Of the rows of a chunk, as the server sends them, unless they are one row. */
  readonly bytesMax: number
  readonly markers: WindowMarkers | null
}

/** Which chunk is read. */
export interface ChunkRequest {
  readonly table: CapturedTable
  readonly key: ChunkKey
  /** The key of the last row that is done; null: none is. */
  readonly after: KeyPoint | null
  /** The last key of the table when it was begun; null: it has not been. */
  readonly maximum: KeyPoint | null
  readonly condition: string | null
  /** Everything before it has become records. */
  readonly handled: StreamPosition
  /** The names of the tables whose rows are estimated: all of this table after `after`, and all of others. */
  readonly estimates: readonly string[]
}

/** Where a chunk ends. */
export interface ChunkBorder {
  /** The key up to which the chunk has all rows; null: there are no more rows, and it has none. */
  readonly upTo: KeyPoint | null
  /** The last key of the table; null: it has no row. */
  readonly maximum: KeyPoint | null
  /** No rows follow it. */
  readonly isLast: boolean
}

export interface Chunk extends ChunkBorder {
  readonly rows: ChunkRows
  /** Changes that the rows do not contain are after a place before this one. */
  readonly place: BinlogPlace
  readonly serverIdentity: string
  /** `keySignature`: when it differs from that of the previous chunk, the table has to be read from its beginning. */
  readonly signature: string
  /** The session that wrote markers into the signal table; null: none did. */
  readonly threadId: number | null
  /** Of the rows, as the server has sent them. */
  readonly bytes: number
  /** About how many rows the requested tables have, by their names; without those that the server does not know. */
  readonly estimates: ReadonlyMap<string, number>
}

/** Reads chunks of tables on a connection of its own, which it opens when it needs one. One at a time. */
export class ChunkReader implements AsyncDisposable {
  readonly #options: ChunkReaderOptions
  #session: Session | null = null
  /** Rows of the next chunk: fewer than the option after a chunk that was too large. */
  #rowsMax: number

  constructor(options: ChunkReaderOptions) {
    this.#options = options
    this.#rowsMax = options.rowsMax
  }

  /**
   * After an error the next call uses a new connection.
   *
   * @param onBorder called as soon as the end of the chunk is known, and again when it has changed
   * @throws INCREMENTAL_CHUNK_TOO_LARGE; errors of the view, the definition and the connection
   */
  async read(request: ChunkRequest, onBorder: (border: ChunkBorder) => void, signal: AbortSignal): Promise<Chunk> {
    for (;;) {
      try {
        const session = (this.#session ??= await this.#open(signal))
        const chunk = await this.#read(session, request, onBorder, { signal })
        this.#rowsMax = Math.min(this.#options.rowsMax, this.#rowsMax * 2)
        return chunk
      } catch (error) {
        await this[Symbol.asyncDispose]()
        if (!(error instanceof TooLarge)) throw error
        const { id } = request.table.table
        const bytes = this.#bytesMax
        if (this.#rowsMax === 1) throw connectorErrors.INCREMENTAL_CHUNK_TOO_LARGE({ table: id.toString(), bytes })
        this.#rowsMax = Math.max(1, Math.min(error.rows, this.#rowsMax) >> 1)
      }
    }
  }

  /** Rows with one key cannot be divided, and may be a few times larger. */
  get #bytesMax(): number {
    const { bytesMax } = this.#options
    return this.#rowsMax === 1 ? bytesMax * KEY_FACTOR : bytesMax
  }

  /** Whether the server has the table. Throws when that is not certain: a user without privileges sees no table. */
  async hasTable(id: TableId, signal: AbortSignal): Promise<boolean> {
    try {
      const { connection } = (this.#session ??= await this.#open(signal))
      await createStatement(connection, id, { signal })
      return true
    } catch (error) {
      if (MISSING.has(serverErrno(error))) return false
      await this[Symbol.asyncDispose]()
      throw error
    }
  }

  async #open(signal: AbortSignal): Promise<Session> {
    const { connection: options, flavor } = this.#options
    const connection = await openSession(options, signal)
    try {
      // Without locks on gaps where rows are locked; a consistent snapshot of MariaDB needs repeatable reads.
      const isolation = flavor.name === 'mysql' ? 'READ COMMITTED' : 'REPEATABLE READ'
      await connection.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`, 'setting up the session', {
        signal,
      })
      await connection.query(
        `SET SESSION lock_wait_timeout = ${LOCK_WAIT_S}, innodb_lock_wait_timeout = ${LOCK_WAIT_S}`,
        'setting up the session',
        { signal },
      )
      // Without an index, ORDER BY compares only so many bytes: the last row would not be that with the largest key.
      await connection.query(`SET SESSION max_sort_length = ${SORT_BYTES_MAX}`, 'setting up the session', { signal })
      const identity = flavor.identityOf(await readVariables(connection, flavor.identityVariables, signal))
      return { connection, identity }
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  async #read(
    { connection, identity }: Session,
    request: ChunkRequest,
    onBorder: (border: ChunkBorder) => void,
    wait: WaitOptions,
  ): Promise<Chunk> {
    const { flavor, serverInfo, markers } = this.#options
    const { handled, table } = request
    if (handled.serverIdentity !== null && handled.serverIdentity !== identity) {
      throw connectorErrors.INCREMENTAL_OTHER_SERVER({
        address: connection.address,
        identity,
        stream: handled.serverIdentity,
      })
    }
    if (flavor.name === 'mariadb' && isSortedByLongValues(request.key)) await allowLongSorts(connection, wait)
    const query = new ChunkQuery(table.table, request.key)
    const estimates = await estimatesOf(connection, query, request, wait)
    const window = (await markers?.open(connection, wait)) ?? NO_MARKERS
    const view = await openView({ connection, flavor, serverInfo, handled, wait })
    // With the lock: a row after the maximum would be in no chunk, and its event may have been handled already.
    const lastKey = query.lastKey(request.condition) + view.lock
    const maximum = request.maximum ?? (await this.#point(connection, lastKey, table, wait))
    const span = maximum === null ? null : await this.#span(connection, query, { ...request, maximum }, wait)
    const upTo = span?.upTo ?? null
    // With marks, consumers see the window of Debezium that finds no more rows.
    const border = { upTo, maximum, isLast: upTo === null || (markers === null && isSamePoint(upTo, maximum)) }
    onBorder(border)
    const { rows, bytes } = span === null ? NO_ROWS : await this.#rows({ connection, query, table, view, wait }, span)
    const place = await view.end()
    const signature = keySignature(await this.#checkDefinition(connection, table.table, wait), request.key)
    const isMarked = await window.close(wait)
    return {
      ...border,
      rows,
      // The stream reaches the rows only after the marker at the end of their window.
      place: isMarked ? await this.#currentPlace(connection, wait) : place,
      serverIdentity: identity,
      signature,
      threadId: isMarked ? connection.threadId : null,
      bytes,
      estimates,
    }
  }

  async #currentPlace(connection: MySqlConnection, { signal }: WaitOptions): Promise<BinlogPlace> {
    const { flavor, serverInfo } = this.#options
    const { file, position, gtids } = await flavor.readPosition(connection, serverInfo, signal)
    return { file, position, gtids: gtids === null ? null : gtids.toString() }
  }

  /** Null: no rows are left. */
  async #span(
    connection: MySqlConnection,
    query: ChunkQuery,
    { table, after, maximum, condition }: ChunkRequest & { readonly maximum: KeyPoint },
    wait: WaitOptions,
  ): Promise<(ChunkSpan & { readonly upTo: KeyPoint }) | null> {
    if (isSamePoint(after, maximum)) return null
    const rest = { after, upTo: maximum, condition }
    const border = await this.#point(connection, query.border(rest, this.#rowsMax), table, wait)
    return { after, condition, upTo: border ?? maximum }
  }

  async #point(
    connection: MySqlConnection,
    sql: string,
    { table }: CapturedTable,
    wait: WaitOptions,
  ): Promise<KeyPoint | null> {
    const [row] = await connection.query(sql, `finding the border of a chunk of ${table.id.toString()}`, wait)
    return row === undefined ? null : pointOf(row)
  }

  async #rows(
    { connection, query, table, view, wait }: Reading,
    span: ChunkSpan,
  ): Promise<Pick<Chunk, 'rows' | 'bytes'>> {
    const select = snapshotSelect(table)
    const { reader, expressions } = select
    const doing = `reading a chunk of ${table.table.id.toString()}`
    const stream = await RowStream.open(connection, query.rows(expressions, span) + view.lock, doing, wait.signal)
    const rows = new EncodedRows(reader, (error) => connection.wrap(error, doing))
    while (!stream.isDone) {
      const row = stream.next(rows)
      if (stream.bytesRead > this.#bytesMax && rows.length > 1) throw new TooLarge(rows.length)
      if (row !== null) continue
      if (!stream.isDone) await stream.wait(wait.signal)
    }
    return { rows, bytes: stream.bytesRead }
  }

  /**
   * Statements that the stream has not reached are found when it does; this finds those that are not in the binlog.
   * After the rows, so that one in between is found, too.
   */
  async #checkDefinition(connection: MySqlConnection, known: MySqlTable, wait: WaitOptions): Promise<string> {
    const createSql = await createStatement(connection, known.id, wait)
    const text = createSql.replace(/ AUTO_INCREMENT=\d+/, '')
    if (this.#session !== null && this.#session.checked?.known === known && this.#session.checked.text === text)
      return createSql
    await checkDefinition({ connection, interpreter: this.#options.interpreter, known, createSql }, wait)
    if (this.#session !== null) this.#session.checked = { known, text }
    return createSql
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#session
    this.#session = null
    await session?.connection.close()
  }
}

/** Before the view: nothing is locked meanwhile. */
async function estimatesOf(
  connection: MySqlConnection,
  query: ChunkQuery,
  { table, after, estimates: names }: ChunkRequest,
  wait: WaitOptions,
): Promise<ReadonlyMap<string, number>> {
  const estimates = new Map<string, number>()
  if (names.length === 0) return estimates
  const ids = names.map((name) => TableId.of(name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)))
  await wantNewEstimates(connection, wait.signal)
  for (const [id, rows] of await estimateRows(connection, ids, wait.signal)) {
    if (names.includes(id.toString())) estimates.set(id.toString(), rows)
  }
  const left = after === null ? null : await estimateRowsLeft(connection, query, [{ after, upTo: null }], wait)
  if (left !== null) estimates.set(table.table.id.toString(), left)
  return estimates
}

/** The rest of the rows is not read: the connection cannot be used any more. */
class TooLarge extends Error {
  readonly rows: number

  constructor(rows: number) {
    super('a chunk has too many bytes')
    this.rows = rows
  }
}

interface Session {
  readonly connection: MySqlConnection
  readonly identity: string
  /** The text of a definition that was found to be the known one. */
  checked?: { readonly known: MySqlTable; readonly text: string }
}

interface Reading {
  readonly connection: MySqlConnection
  readonly query: ChunkQuery
  readonly table: CapturedTable
  readonly view: ReadView
  readonly wait: WaitOptions
}

const NO_ROWS: Pick<Chunk, 'rows' | 'bytes'> = { rows: { length: 0, at: () => [] }, bytes: 0 }
const KEY_FACTOR = 4
/** No such database, no such table. */
const MISSING: ReadonlySet<number | null> = new Set([1049, 1146])

function isSamePoint(a: KeyPoint | null, b: KeyPoint | null): boolean {
  return a !== null && b !== null && a.length === b.length && a.every((text, i) => text === b[i])
}

function pointOf(row: TextRow): KeyPoint {
  return row.map((value) => value ?? '')
}

function isSortedByLongValues({ parts }: ChunkKey): boolean {
  return parts.some(({ type }) => /TEXT$|BLOB$/.test(type.name))
}

/** MariaDB sorts such values only where it has memory for 15 of the longest, and takes what the rows of the table need. */
function allowLongSorts(connection: MySqlConnection, wait: WaitOptions): Promise<unknown> {
  const bytes = SORT_BYTES_MAX * 20
  const sql = `SET SESSION sort_buffer_size = GREATEST(@@SESSION.sort_buffer_size, ${bytes})`
  return connection.query(sql, 'setting up the session', wait)
}

/** The largest value that both servers accept. */
const SORT_BYTES_MAX = 8_388_608
/** Longer than most transactions, and short enough for DDL that waits behind the chunk. */
const LOCK_WAIT_S = 10
