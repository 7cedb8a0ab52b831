import {
  answeredWithin,
  BinlogDump,
  type BinlogDumpOptions,
  BinlogStream,
  type BinlogStreamOptions,
  type DumpStart,
  type EventStream,
  MySqlConnection,
} from '@tributary/mysql'
import { type Clock, CodedError, type Logger, StoppedError } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import { findMissing } from '../flavor/find-missing.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { LogPlace, StreamPosition } from '../offset/stream-position.ts'
import { readFileCreated } from '../flavor/file-created.ts'
import { readBinlogEnd } from './binlog-end.ts'
import { WRONG_SERVER_MINUTES } from './wrong-server.ts'

export interface BinlogConnectionOptions {
  readonly connectorName: string
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: BinlogStreamOptions['connection']
  readonly replicaUuid: string
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
  readonly clock: Clock
  readonly logger: Logger
}

/** The position from which the events are counted, and the events. */
export interface BinlogConnection {
  readonly stream: EventStream
  readonly start: StreamPosition
}

/** Callbacks for a server that does not have the requested position. */
export interface ServerReports {
  /** Called before SERVER_BEHIND is thrown, with the transactions that the server lacks. */
  readonly onLacking: (lacking: string) => void
  /** Called before POSITION_PURGED is thrown, with the identity of the server. */
  readonly onPurged?: (identity: string) => void
}

/**
 * Opens a connection that sends the binlog from a position on, after it has checked that the server is the one that was
 * read before, or one that has all of that too.
 *
 * @throws SERVER_OTHER, SERVER_BEHIND, POSITION_PURGED, BINLOG_RESET; errors of the connection and of the dump
 */
export async function openBinlog(
  options: BinlogConnectionOptions,
  resume: StreamPosition,
  reports: ServerReports,
  signal: AbortSignal,
): Promise<BinlogConnection> {
  const { config, flavor, serverInfo, logger } = options
  let identity = resume.serverIdentity
  let end: LogPlace | null = null
  const inspect: BinlogDumpOptions['inspect'] = async (opened, limit = signal) => {
    identity = await requireServer(options, { resume, connection: opened, reports, signal: limit })
    end = await readBinlogEnd(options, resume, { connection: opened, signal: limit })
  }
  const dump = await requestDump(options, { start: flavor.dumpStart(resume, serverInfo), inspect }, signal)
  logger.info(
    `Connected to binlog at ${config.host}:${config.port}, starting at ${resume.describe()} (server thread ${dump.threadId})`,
  )
  return {
    stream: await BinlogStream.over(dump, options.decodeStatement),
    start: startOn({ identity, end }, resume, options),
  }
}

export interface DumpRequest {
  readonly start: DumpStart
  readonly inspect: NonNullable<BinlogDumpOptions['inspect']>
  /** As of `DumpOptions`; default: as `include.query` decides. */
  readonly wantsStatements?: boolean
}

/**
 * Requests the binlog from a start on.
 *
 * @throws errors of the connection and of the dump, and what `inspect` throws
 */
export async function requestDump(
  options: Omit<BinlogConnectionOptions, 'decodeStatement'>,
  { start, inspect, wantsStatements }: DumpRequest,
  signal: AbortSignal,
): Promise<BinlogDump> {
  const { config, flavor, connection, replicaUuid, clock } = options
  const dumpOptions: BinlogDumpOptions = {
    connection,
    inspect,
    dump: {
      flavor: flavor.name,
      start,
      serverId: config.serverId,
      replicaUuid,
      heartbeatMs: Math.max(1000, Math.floor(config.keepAliveIntervalMs * HEARTBEAT_SHARE)),
      wantsStatements: wantsStatements ?? config.includesQuery,
    },
  }
  return answeredWithin(
    {
      clock,
      limitMs: config.connectTimeoutMs + INSPECTION_MS_MAX,
      address: `${config.host}:${config.port}`,
      doing: () => 'requesting the binlog',
    },
    (limit) => BinlogDump.open(dumpOptions, limit),
    signal,
  )
}

/**
 * Returns the error that explains a failed dump. A server whose binlog was reset continues to read the deleted file,
 * and then reports it as damaged: BINLOG_RESET explains that. Otherwise, or if the server cannot be inspected, the
 * error itself.
 */
export async function explainDumpError(
  options: BinlogConnectionOptions,
  resume: StreamPosition,
  error: Error,
  signal: AbortSignal,
): Promise<Error> {
  if (!(error instanceof CodedError) || !error.code.startsWith('BINLOG_')) return error
  try {
    await using connection = await MySqlConnection.open(options.connection, signal)
    await requireServer(options, { resume, connection, reports: { onLacking: () => undefined }, signal })
  } catch (found) {
    if (found instanceof CodedError && found.code === 'BINLOG_RESET') return found
    if (found instanceof StoppedError) throw found
  }
  return error
}

interface Inspection {
  readonly resume: StreamPosition
  readonly connection: MySqlConnection
  readonly reports: ServerReports
  readonly signal: AbortSignal
}

/** Returns the identity of the server. */
export async function requireServer(
  options: Omit<BinlogConnectionOptions, 'decodeStatement'>,
  { resume, connection, reports, signal }: Inspection,
): Promise<string> {
  const { flavor, connectorName: connector } = options
  const { address } = connection
  const info = await flavor.readServerInfo(connection, signal)
  const before = resume.serverIdentity
  if (resume.gtids === null && before !== null && before !== info.identity) {
    throw connectorErrors.SERVER_OTHER({
      address,
      now: info.identity,
      before,
      position: `${resume.file}:${resume.position}`,
      minutes: WRONG_SERVER_MINUTES,
    })
  }
  const createdOf = (file: string, limit: AbortSignal): Promise<number | null> => readFileCreated(options, file, limit)
  const missing = await findMissing({ flavor, info, connection, readFileCreated: createdOf }, resume, signal)
  if (missing === null) return info.identity
  if (missing.isOtherHistory)
    throw connectorErrors.BINLOG_RESET({ ...missing, address, position: resume.describe(), connector })
  if (missing.lacking !== null) {
    reports.onLacking(missing.lacking)
    throw connectorErrors.SERVER_BEHIND({ ...missing, address, minutes: WRONG_SERVER_MINUTES })
  }
  reports.onPurged?.(info.identity)
  throw connectorErrors.POSITION_PURGED({ ...missing, address, position: resume.describe(), connector })
}

/** A replica splits the rows of a transaction into events of its own: counts of another server are dropped. */
function startOn(
  { identity, end }: { readonly identity: string | null; readonly end: LogPlace | null },
  resume: StreamPosition,
  { flavor, logger }: BinlogConnectionOptions,
): StreamPosition {
  const { gtids } = resume
  const start = resume.onServer(gtids === null ? null : flavor.parseGtids(gtids), identity, end)
  const isHere = resume.serverIdentity === null || resume.serverIdentity === identity
  if (isHere || (resume.event === 0 && resume.row === 0)) return start
  logger.warn(
    `The connection was lost in a transaction, and this is another server (${identity}, before ${resume.serverIdentity}): the transaction is read again from its begin, and up to ${resume.event} of its events are repeated`,
  )
  return start.atRestart()
}

/** A server with thousands of binlog files takes seconds to list them. */
const INSPECTION_MS_MAX = 60_000
/** Of the keep-alive interval: the server sends heartbeats a little more often than the connection misses them. */
const HEARTBEAT_SHARE = 0.8
