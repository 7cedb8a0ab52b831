import type { LossForecast, LossProbe, OffsetDocument, SourcePartition } from '@tributary/connect-api'
import {
  answeredWithin,
  MySqlConnection,
  type MySqlConnectionOptions,
  offsetText,
  belongsTo,
  readSpoolStatus,
} from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import { type FileStart, readFileStart } from '../flavor/file-created.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import { BinlogGrowth } from './binlog-growth.ts'
import { forecast } from './forecast.ts'
import { findNeededFile } from './needed-file.ts'
import { readServer, type ServerReading } from './read-server.ts'

export interface BinlogLossProbeOptions {
  /** Name of the connector, for messages. */
  readonly connector: string
  /** The folder of the task's spool on this machine; null: the task has no spool. */
  readonly spoolFolder?: string | null
  /** Of its offset. */
  readonly partition: SourcePartition
  /** Called for each measurement: the files that a configuration names may change. */
  readonly connection: () => Promise<MySqlConnectionOptions>
  readonly clock: Clock
  readonly intervalMs: number
  readonly warningSeconds: readonly number[]
}

/** Most time for a measurement: the statements are short, and the next one is at least as far. */
const MEASURE_MS_MAX = 20_000
/** The error of a login that does not end explains more than that the measurement was late. */
const LOGIN_MS_MAX = 15_000

/**
 * Measures how long a MySQL or MariaDB server keeps the binlog that a connector still needs.
 *
 * A measurement is a login and three short statements. What never changes is remembered: the time at which a file
 * begins (a short dump on a connection of its own), and the GTIDs before it. Both are asked once for a file that the
 * connector reaches, and forgotten when the server's list of files does not continue the last one.
 */
export class BinlogLossProbe implements LossProbe {
  readonly intervalMs: number
  readonly warningSeconds: readonly number[]
  readonly #options: BinlogLossProbeOptions
  readonly #growth = new BinlogGrowth()
  readonly #starts = new Map<string, FileStart>()
  readonly #gtidsBefore = new Map<string, string | null>()
  #identity = ''

  constructor(options: BinlogLossProbeOptions) {
    this.#options = options
    this.intervalMs = options.intervalMs
    this.warningSeconds = options.warningSeconds
  }

  async measure(
    storedOffset: (partition: SourcePartition) => OffsetDocument | null,
    signal: AbortSignal,
  ): Promise<LossForecast> {
    const offset = storedOffset(this.#options.partition)
    const stored = offset === null ? null : StreamPosition.parse(offset)
    if (offset === null || stored === null)
      return unknown('No offset is stored yet, so the connector needs no certain place of the binlog.')
    const options = await this.#options.connection()
    const { clock } = this.#options
    return answeredWithin(
      {
        clock,
        limitMs: MEASURE_MS_MAX,
        address: `${options.host}:${options.port}`,
        doing: () => 'measuring how long the server keeps its binlog',
      },
      (limit) => this.#measure(options, { stored, document: offset }, limit),
      signal,
    )
  }

  /**
   * The server may purge what the spool has. The spool is on the machine of the task: other workers do not see it, and
   * report the time for the stored offset, which is shorter.
   */
  #afterSpool(offset: MeasuredOffset, { identity }: ServerReading): MeasuredPosition {
    const { spoolFolder: folder = null } = this.#options
    const { stored, document } = offset
    const spool = folder === null ? null : readSpoolStatus(folder)
    // The task uses the spool only with a stored offset and the server that the spool belongs to.
    if (spool === null || spool.identity !== identity || !belongsTo(spool, offsetText(document)))
      return { position: stored, notes: [] }
    const { file, position } = spool.end
    const end = StreamPosition.at(
      { file: { name: file, createdSeconds: spool.createdSeconds }, position, gtids: null },
      { ...stored.origin, timestampSeconds: 0 },
    )
    const note = `The spool in ${folder} has the events after the stored offset (${stored.file}:${stored.position}): the server need keep only those after ${file}:${position}.`
    return { position: end, notes: [note] }
  }

  async #measure(options: MySqlConnectionOptions, offset: MeasuredOffset, signal: AbortSignal): Promise<LossForecast> {
    const connectTimeoutMs = Math.min(options.connectTimeoutMs || LOGIN_MS_MAX, LOGIN_MS_MAX)
    const bounded = { ...options, connectTimeoutMs }
    await using connection = await MySqlConnection.open(bounded, signal)
    const server = await readServer(connection, options.host, signal)
    this.#remember(server)
    const search = { connection, options: bounded, server, signal }
    const { position, notes } = this.#afterSpool(offset, server)
    const forecast = await this.#measureFrom(search, position)
    return { ...forecast, notes: [...notes, ...forecast.notes] }
  }

  async #measureFrom(search: Search, stored: StreamPosition): Promise<LossForecast> {
    const { server, connection } = search
    const other = await this.#otherHistory(search, stored)
    if (other !== null) return other
    const position = server.hasGtids ? stored : stored.withoutGtids()
    const needed = await findNeededFile(
      { ...server, gtidsBefore: (file) => this.#readGtidsBefore(search, file) },
      position,
    )
    switch (needed.tag) {
      case 'unknown':
        return unknown(needed.reason)
      case 'purged':
        return this.#lost(stored, connection.address, needed)
      case 'file':
        return this.#forecast(search, stored, needed.index)
    }
  }

  /** Forgets what is about files of another binlog, and about purged ones. */
  #remember({ identity, files }: ServerReading): void {
    const isContinued = this.#growth.add(this.#options.clock.now(), files) && identity === this.#identity
    this.#identity = identity
    const names = new Set(files.map(({ name }) => name))
    for (const map of [this.#starts, this.#gtidsBefore]) {
      for (const name of map.keys()) if (!isContinued || !names.has(name)) map.delete(name)
    }
  }

  /** After RESET, and on a rebuilt server, another file has the name of the stored one. */
  async #otherHistory(search: Search, stored: StreamPosition): Promise<LossForecast | null> {
    const { createdSeconds } = stored.restart.file
    const { identity, files } = search.server
    if (createdSeconds === null || stored.serverIdentity !== identity) return null
    if (!files.some(({ name }) => name === stored.file)) return null
    const start = await this.#readStart(search, stored.file)
    if (start === null || start.createdSeconds === createdSeconds) return null
    const { message } = connectorErrors.BINLOG_RESET({
      address: search.connection.address,
      position: stored.describe(),
      connector: encodeURIComponent(this.#options.connector),
      needed: `the binlog file ${stored.file} that was created at ${createdSeconds} (UNIX_TIMESTAMP)`,
      available: `the server created its file of that name at ${start.createdSeconds}`,
    })
    return { ...NOTHING, state: 'lost', neededFile: stored.file, problem: message }
  }

  #lost(
    stored: StreamPosition,
    address: string,
    { needed, available }: { readonly needed: string; readonly available: string },
  ): LossForecast {
    const { message } = connectorErrors.POSITION_PURGED({
      position: stored.describe(),
      address,
      needed,
      available,
      connector: encodeURIComponent(this.#options.connector),
    })
    return { ...NOTHING, state: 'lost', neededFile: stored.file, problem: message }
  }

  async #forecast(search: Search, stored: StreamPosition, needed: number): Promise<LossForecast> {
    const { files, retention, serverMs } = search.server
    const nowMs = this.#options.clock.now()
    const closed = await this.#closed(search, stored, needed)
    const name = files[needed]?.name
    return forecast({
      nowMs,
      files,
      needed,
      position: name === stored.file ? stored.position : 0,
      // By the clock of the server, which may differ from ours.
      closedMs: closed.seconds === null ? null : nowMs - (serverMs - closed.seconds * 1000),
      growth: this.#growth.growth,
      retention,
      notes: closed.notes,
    })
  }

  /**
   * When the server last wrote to a file, in seconds by its clock; null while it does. No statement returns it. A
   * server that is full of a file begins the next one in the same second. A file that a start of the server begins may
   * be much younger than the last write before; then the time is that of the last event that was read, or of the file's
   * own beginning.
   */
  async #closed(search: Search, stored: StreamPosition, needed: number): Promise<Closed> {
    const { files } = search.server
    const [file, next] = [files[needed], files[needed + 1]]
    if (file === undefined || next === undefined) return { seconds: null, notes: [] }
    const following = await this.#readStart(search, next.name)
    if (following !== null && !following.isServerStart) return { seconds: following.createdSeconds, notes: [] }
    const own = await this.#readStart(search, file.name)
    const read = file.name === stored.file ? stored.timestampSeconds : 0
    const note = `The server was restarted after ${file.name}, and its last write to that file is not known: the earliest possible time is assumed.`
    return { seconds: Math.max(own?.createdSeconds ?? 0, read), notes: [note] }
  }

  async #readStart({ options, server, signal }: Search, file: string): Promise<FileStart | null> {
    const known = this.#starts.get(file)
    if (known !== undefined) return known
    const { clock } = this.#options
    const start = await readFileStart({ flavor: server.flavor, connection: options, clock }, file, signal)
    if (start !== null) remember(this.#starts, file, start)
    return start
  }

  async #readGtidsBefore({ connection, server, signal }: Search, file: string): Promise<string | null> {
    const known = this.#gtidsBefore.get(file)
    if (known !== undefined) return known
    const before = await server.flavor.readGtidsBefore(connection, file, signal)
    remember(this.#gtidsBefore, file, before)
    return before
  }
}

/** Two per file that a measurement looks at, which is a few: the needed one, its neighbours, and those of a search. */
const REMEMBERED_MAX = 32

function remember<T>(map: Map<string, T>, file: string, value: T): void {
  map.set(file, value)
  const oldest = map.keys().next()
  if (map.size > REMEMBERED_MAX && oldest.done !== true) map.delete(oldest.value)
}

interface MeasuredOffset {
  readonly stored: StreamPosition
  readonly document: OffsetDocument
}

/** The position from which the server must keep its binlog. */
interface MeasuredPosition {
  readonly position: StreamPosition
  readonly notes: readonly string[]
}

/** One measurement in progress. */
interface Search {
  readonly connection: MySqlConnection
  readonly options: MySqlConnectionOptions
  readonly server: ServerReading
  readonly signal: AbortSignal
}

interface Closed {
  readonly seconds: number | null
  readonly notes: readonly string[]
}

const NOTHING: LossForecast = {
  state: 'unknown',
  earliestMs: null,
  expectedMs: null,
  isRunningOut: false,
  retentionSeconds: null,
  bytes: null,
  files: null,
  neededFile: null,
  backlogBytes: null,
  backlogFiles: null,
  growthBytesPerSecond: null,
  retention: [],
  notes: [],
  problem: null,
}

function unknown(reason: string): LossForecast {
  return { ...NOTHING, notes: [reason] }
}
