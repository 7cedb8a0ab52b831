import type { BinlogDump, BinlogDumpOptions, MySqlConnection } from '@tributary/mysql'
import { connectorErrors } from '../../errors.ts'
import { type BinlogConnectionOptions, requestDump, requireServer } from '../binlog-connection.ts'
import { WRONG_SERVER_MINUTES } from '../wrong-server.ts'
import type { DumpTurn } from './dump-turn.ts'
import type { SpoolDumps } from './outage-spool.ts'

/**
 * Opens the connections that fill a spool. A spool is a copy of one server's binlog: another server is an error,
 * although a stream with GTIDs could continue there. Dumps request all events, so that a gap between two dumps is
 * noticed: without ANNOTATE_ROWS events, a dump of MariaDB may begin after the requested place.
 */
export function spoolDumps(options: Omit<BinlogConnectionOptions, 'decodeStatement'>, turn: DumpTurn): SpoolDumps {
  const { flavor, serverInfo, config, logger } = options

  async function requireSame(connection: MySqlConnection, wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { identity: now } = await flavor.readServerInfo(connection, signal)
    const { identity: before, position } = wanted
    if (now === before) return
    const { address } = connection
    throw connectorErrors.SERVER_OTHER({ address, now, before: before ?? '?', position, minutes: WRONG_SERVER_MINUTES })
  }

  return {
    turn,

    async begin(stored, signal): Promise<BinlogDump> {
      const wanted = { identity: stored.serverIdentity, position: `${stored.file}:${stored.position}` }
      const inspect: BinlogDumpOptions['inspect'] = async (connection, limit = signal) => {
        await requireSame(connection, wanted, limit)
        const reports = { onLacking: () => undefined }
        await requireServer(options, { resume: stored, connection, reports, signal: limit })
      }
      const start = flavor.dumpStart(stored, serverInfo)
      return requestDump(options, { start, inspect, wantsStatements: true }, signal)
    },

    async continue({ place, identity }, signal): Promise<BinlogDump> {
      const position = `${place.file}:${place.position}`
      const inspect: BinlogDumpOptions['inspect'] = (connection, limit = signal) =>
        requireSame(connection, { identity, position }, limit)
      const start = { tag: 'position', ...place } as const
      const dump = await requestDump(options, { start, inspect, wantsStatements: true }, signal)
      logger.info(
        `Connected to binlog at ${config.host}:${config.port}, adding to the spool from ${position} (server thread ${dump.threadId})`,
      )
      return dump
    },
  }
}

/** The server, and the requested place for messages. */
interface Wanted {
  readonly identity: string | null
  readonly position: string
}
