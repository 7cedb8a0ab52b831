import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { type Clock, CodedError, describeError, isRetriable, StoppedError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import { binlogFiles, FIRST_POSITION, findMissingFile } from '../flavor/binlog-files.ts'
import { readFileCreated } from '../flavor/file-created.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import type { ExecutedGtids } from '../offset/executed-gtids.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import { type EventPlace, walkBinlog } from './binlog-walk.ts'
import type { StartRequest } from './start-request.ts'
import { FirstEvents, TransactionsSince } from './start-visitors.ts'

export interface StartOptions {
  readonly flavor: Flavor
  readonly info: ServerInfo
  readonly connection: MySqlConnectionOptions
  readonly recordFormat: 'v1' | 'v2'
  readonly clock: Clock
}

/** Where to start, and what the user should know about it; null: nothing. */
export interface FoundStart {
  readonly position: StreamPosition
  readonly note: string | null
}

/**
 * Finds a place of the binlog where a reader can start. Nothing after the place that was asked for is left out. By time,
 * the start is the first transaction that was committed in that second or later; on MariaDB, the first one with an event
 * of that second or later, and the note says so: its binlog does not have the times of commits.
 *
 * @throws START_PLACE, START_GTIDS and errors of the connection
 */
export async function findStart(
  options: StartOptions,
  request: StartRequest,
  signal: AbortSignal,
): Promise<FoundStart> {
  const { flavor, info, connection: login } = options
  await using connection = await MySqlConnection.open(login, signal)
  if (request.tag === 'now') await awaitOlderTables(connection, options.clock, signal)
  const now = await timeOf(connection, signal)
  const end = await flavor.readPosition(connection, info, signal)
  const search = { ...options, open: connection, end, now }
  switch (request.tag) {
    case 'now':
      return {
        position: await positionAt(search, { ...end, seconds: now, gtids: gtidsOf(options, end) }, signal),
        note: null,
      }
    case 'ago':
      return await byTime(search, now - request.seconds, signal)
    case 'time':
      return await byTime(search, Math.floor(request.seconds), signal)
    case 'place':
      return await byPlace(search, request, signal)
    case 'gtids':
      return await byGtids(search, request.gtids, signal)
  }
}

async function timeOf(connection: MySqlConnection, signal: AbortSignal): Promise<number> {
  const [row] = await connection.query('SELECT UNIX_TIMESTAMP()', 'reading the time of the server', { signal })
  return Number(row?.[0] ?? 0)
}

/**
 * Waits until no table was created or altered in this very second, because times have no fractions: the definition of
 * such a table would not be certain. Not for long: on a server that creates tables all the time there is always one.
 */
async function awaitOlderTables(connection: MySqlConnection, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let waits = 0; waits < WAITS_MAX; waits++) {
    const [row] = await connection.query(
      `SELECT COUNT(*) FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND create_time >= FROM_UNIXTIME(UNIX_TIMESTAMP())`,
      'looking for tables that were just altered',
      { signal },
    )
    if (Number(row?.[0] ?? 0) === 0) return
    await clock.sleep(WAIT_MS, signal)
  }
}

const WAITS_MAX = 8
const WAIT_MS = 200

interface Search extends StartOptions {
  readonly open: MySqlConnection
  /** The end of the binlog. */
  readonly end: ServerPosition
  /** Seconds since 1970, by the server's clock. */
  readonly now: number
}

interface Found {
  readonly file: string
  readonly position: number
  /** When the first change after it was made, or earlier: a table that was altered then or later may have had another definition. */
  readonly seconds: number
  readonly gtids: ExecutedGtids | null
}

async function positionAt(options: StartOptions, found: Found, signal: AbortSignal): Promise<StreamPosition> {
  const createdSeconds = await readFileCreated(options, found.file, signal)
  return StreamPosition.at(
    { file: { name: found.file, createdSeconds }, position: found.position, gtids: found.gtids },
    {
      timestampSeconds: found.seconds,
      serverId: 0,
      isSnapshotUnfinished: false,
      recordFormat: options.recordFormat,
      serverIdentity: options.info.identity,
    },
  )
}

/** With GTIDs the reader survives a change of the server. MariaDB returns place and GTIDs by two statements. */
function gtidsOf({ flavor }: StartOptions, { gtids }: ServerPosition): ExecutedGtids | null {
  const text = gtids?.toString() ?? ''
  return flavor.name === 'mysql' && text !== '' ? flavor.parseGtids(text) : null
}

async function byTime(search: Search, seconds: number, signal: AbortSignal): Promise<FoundStart> {
  const { end, now, open } = search
  const files = await binlogFiles(open, signal)
  const at = await lastFileBefore(search, files, seconds, signal)
  const file = files[Math.max(at, 0)] ?? end.file
  const visitor = new TransactionsSince(seconds)
  const from = { tag: 'position', file, position: FIRST_POSITION } as const
  if (at >= 0) await walkBinlog(search, { from, until: end }, (event, place) => visitor.visit(event, place), signal)
  const first = at < 0 ? { file, position: FIRST_POSITION, seconds } : (visitor.found ?? { ...end, seconds: now })
  const position = await positionAt(search, { ...first, gtids: null }, signal)
  const notes = [
    at < 0 ? `the server has no binlog of that time: its oldest file is ${file}, and the changes start there` : null,
    at >= 0 && visitor.found === null && seconds > now
      ? `that time is in the future for the server, whose clock shows ${instant(now)}: the output starts with the next change`
      : null,
    at >= 0 && visitor.found !== null && search.flavor.name === 'mariadb'
      ? 'MariaDB logs when a statement began, not when it was committed: a change that ran over that time may be left out; choose an earlier time to be sure'
      : null,
  ].filter((note) => note !== null)
  return { position, note: notes.length === 0 ? null : notes.join('; ') }
}

function instant(seconds: number): string {
  // oxlint-disable-next-line no-restricted-globals -- formats a time
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** The index of the last file that was created before that second; -1: there is none. Reads the start of few files. */
async function lastFileBefore(
  search: Search,
  files: readonly string[],
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  let [low, high] = [-1, files.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const created = await readFileCreated(search, files[middle] ?? '', signal)
    // Purged meanwhile: what is needed is in a later file.
    const isBefore = created === null || created < seconds
    if (isBefore) low = middle
    else high = middle - 1
  }
  return low
}

async function byPlace(
  search: Search,
  place: { readonly file: string; readonly position: number },
  signal: AbortSignal,
): Promise<FoundStart> {
  const { open, end, now } = search
  const shown = `${place.file}:${place.position}`
  const missing = await findMissingFile(open, place, signal)
  if (missing !== null) throw connectorErrors.START_PLACE({ place: shown, reason: missing.available })
  if (place.position < FIRST_POSITION) throw connectorErrors.START_PLACE({ place: shown, reason: 'a file begins at 4' })
  const visitor = new FirstEvents(place)
  if (place.file !== end.file || place.position !== end.position) {
    const from = { tag: 'position', file: place.file, position: place.position } as const
    try {
      await walkBinlog(search, { from, until: end }, (event, at) => visitor.visit(event, at), signal)
    } catch (error) {
      if (error instanceof StoppedError || isRetriable(error) || !(error instanceof CodedError)) throw error
      throw connectorErrors.START_PLACE({ place: shown, reason: describeError(error) }, error)
    }
    if (visitor.refusal !== null) throw connectorErrors.START_PLACE({ place: shown, reason: visitor.refusal })
  }
  const seconds = visitor.firstSeconds ?? now
  return { position: await positionAt(search, { ...place, seconds, gtids: null }, signal), note: null }
}

async function byGtids(search: Search, gtids: string, signal: AbortSignal): Promise<FoundStart> {
  const { flavor, info, open, end, now } = search
  if (!info.hasGtids) throw connectorErrors.START_GTIDS({ gtids, reason: 'the server has no GTIDs (gtid_mode=OFF)' })
  const executed = parsed(flavor, gtids)
  const atEnd = { ...end, seconds: now, gtids: executed }
  const position = await positionAt(search, atEnd, signal)
  // No file has this name: with the name of a file, the check would find nothing missing on MariaDB.
  const unplaced = position.inFile({ name: '', createdSeconds: null })
  const missing = await flavor.findMissing(open, unplaced, info, signal)
  if (missing !== null) throw connectorErrors.START_GTIDS({ gtids, reason: missing.available })
  if (flavor.isGtidSubset(end.gtids?.toString() ?? '', executed.toString())) return { position, note: null }
  let first: EventPlace | null = null
  await walkBinlog(
    search,
    { from: flavor.dumpStart(position, info), until: end },
    (event, place) => {
      if (event.tag === 'gtid' || event.tag === 'mariadbGtid') first = place
      return first !== null
    },
    signal,
  )
  const found = first as EventPlace | null
  const place = found === null ? atEnd : { ...found, seconds: found.timestampSeconds, gtids: executed }
  return { position: await positionAt(search, place, signal), note: null }
}

function parsed(flavor: Flavor, gtids: string): ExecutedGtids {
  try {
    return flavor.parseGtids(gtids)
  } catch (error) {
    if (error instanceof StoppedError) throw error
    const reason = `they are not ${flavor.name === 'mysql' ? 'a GTID set of MySQL' : 'a GTID position of MariaDB'}`
    throw connectorErrors.START_GTIDS({ gtids, reason }, error)
  }
}
