import type { ComparableSource } from '@tributary/connector-mysql'
import { MySqlConnection, MySqlGtidSet } from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import { verifyErrors } from '../errors.ts'
import { type BinlogPlace, comparePlaces } from './binlog-place.ts'

/** Where the change of a record is in the binlog. */
export interface ChangePlace extends BinlogPlace {
  /** Null: without GTIDs, and in a snapshot. */
  readonly gtid: string | null
}

/** Whether a view of the tables contains a change: `unknown`: it was committed while the view was opened. */
export type Containment = 'contained' | 'unknown' | 'later'

/** The part of the binlog that a view contains. */
export interface ViewPlace {
  readonly containmentOf: (place: ChangePlace) => Containment
  /** All changes that the view contains precede this place. */
  readonly end: BinlogPlace
  /** GTIDs that the view contains, or its position. */
  readonly text: string
}

/** A transaction that sees the tables as of one moment, without locks. */
export class View implements AsyncDisposable {
  readonly connection: MySqlConnection
  readonly place: ViewPlace

  private constructor(connection: MySqlConnection, place: ViewPlace) {
    this.connection = connection
    this.place = place
  }

  static async open(source: ComparableSource, clock: Clock, signal: AbortSignal): Promise<View> {
    const connection = await MySqlConnection.open(source.connection, signal)
    try {
      await connection.query(SESSION, 'setting up the comparison', { signal })
      await connection.query(ISOLATION, 'setting up the comparison', { signal })
      const place =
        source.flavor === 'mariadb'
          ? await openExactly(connection, signal)
          : await openBetween(connection, { source, clock }, signal)
      return new View(connection, place)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
  }
}

/**
 * Instants in UTC, and texts in utf8mb4. Dates that do not exist are shown as they are. The read view lasts as long as
 * the transaction.
 */
const SESSION = "SET SESSION sql_mode = '', time_zone = '+00:00', net_write_timeout = 3600"
const ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ'
const BEGIN = 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY'
const BEGINNING = 'beginning to read'

/** MariaDB keeps the position of the snapshot for its transaction: changes before it are contained, no others. */
async function openExactly(connection: MySqlConnection, signal: AbortSignal): Promise<ViewPlace> {
  await connection.query(BEGIN, BEGINNING, { signal })
  const rows = await connection.query(SNAPSHOT_POSITION, 'reading the position of the snapshot', { signal })
  const values = new Map(rows.map(([name, value]) => [(name ?? '').toLowerCase(), value ?? '']))
  const [file = '', position = ''] = [values.get('binlog_snapshot_file'), values.get('binlog_snapshot_position')]
  if (file === '') throw verifyErrors.VERIFY_POSITION({ address: connection.address, statement: SNAPSHOT_POSITION })
  const end = { file, position: Number(position) }
  const [gtids] = await connection.query(
    `SELECT BINLOG_GTID_POS('${file}', ${end.position})`,
    'reading the GTID position of the snapshot',
    { signal },
  )
  return {
    containmentOf: (place) => (comparePlaces(place, end) < 0 ? 'contained' : 'later'),
    end,
    text: textOf(end, gtids?.[0] ?? ''),
  }
}

const SNAPSHOT_POSITION = "SHOW STATUS LIKE 'binlog_snapshot_%'"

/**
 * MySQL has no position of a snapshot. A transaction is in `gtid_executed` only after InnoDB has committed it, and in
 * the binlog before: so the view contains what was executed before it was opened, and nothing that is not in the binlog
 * after that. What is in between is unknown.
 *
 * Without GTIDs the first bound is a position of a second earlier: by then InnoDB has committed what the binlog had.
 */
async function openBetween(
  connection: MySqlConnection,
  { source, clock }: { readonly source: ComparableSource; readonly clock: Clock },
  signal: AbortSignal,
): Promise<ViewPlace> {
  const { positionStatement, info } = source
  // As few statements as possible between the two bounds: what is in between is uncertain. A position that is too early
  // only makes more of a snapshot's records uncertain.
  const first = await readEnd(connection, positionStatement, signal)
  const [row] = await connection.query('SELECT @@global.gtid_executed', 'reading the executed GTIDs', { signal })
  const before = { end: first, gtids: (row?.[0] ?? '').replaceAll(/\s/g, '') }
  if (!info.hasGtids) await clock.sleep(COMMIT_MS_MAX, signal)
  await connection.query(BEGIN, BEGINNING, { signal })
  const end = await readEnd(connection, positionStatement, signal)
  const executed = new ExecutedGtids(before.gtids)
  return {
    containmentOf: (place) => {
      const isContained =
        place.gtid === null || !info.hasGtids ? comparePlaces(place, before.end) < 0 : executed.contains(place.gtid)
      if (isContained) return 'contained'
      return comparePlaces(place, end) < 0 ? 'unknown' : 'later'
    },
    end,
    text: textOf(end, before.gtids),
  }
}

/** The binlog has a transaction that long before InnoDB has committed it, at most: a replica may have to confirm it. */
const COMMIT_MS_MAX = 1_000

async function readEnd(connection: MySqlConnection, statement: string, signal: AbortSignal): Promise<BinlogPlace> {
  const row = await connection.queryRow(statement, 'reading the binlog position', { signal })
  const file = row?.['File'] ?? null
  if (row === null || file === null) throw verifyErrors.VERIFY_POSITION({ address: connection.address, statement })
  return { file, position: Number(row['Position']) }
}

function textOf({ file, position }: BinlogPlace, gtids: string): string {
  return gtids === '' ? `${file}:${position}` : `${file}:${position}, GTIDs ${gtids}`
}

/** Answers quickly for many GTIDs of few servers. */
class ExecutedGtids {
  readonly #bounds: ReadonlyMap<string, readonly (readonly [first: number, last: number])[]>

  constructor(text: string) {
    const bounds = new Map<string, [number, number][]>()
    let source = ''
    // The normal form of the set: `uuid:1-5:7:tag:1-3`.
    for (const part of MySqlGtidSet.parse(text).toString().split(',')) {
      const [uuid = '', ...pieces] = part.split(':')
      source = uuid
      for (const piece of pieces) {
        const range = /^(\d+)(?:-(\d+))?$/.exec(piece)
        if (range === null) {
          source = `${uuid}:${piece}`
          continue
        }
        const known = bounds.get(source) ?? []
        bounds.set(source, [...known, [Number(range[1]), Number(range[2] ?? range[1])]])
      }
    }
    this.#bounds = bounds
  }

  contains(gtid: string): boolean {
    const colon = gtid.lastIndexOf(':')
    const number = Number(gtid.slice(colon + 1))
    const ranges = this.#bounds.get(gtid.slice(0, colon).toLowerCase()) ?? []
    return ranges.some(([first, last]) => first <= number && number <= last)
  }
}
