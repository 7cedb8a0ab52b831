import { findMissing } from '../flavor/find-missing.ts'
import { readFileCreated } from '../flavor/file-created.ts'
import type { ChangeSource, Poll, SourceState } from '@tributary/connector-kit'
import type { BinlogStreamOptions } from '@tributary/mysql'
import { BackOff, isRetriable, StoppedError, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { MissingPosition, ServerPosition } from '../flavor/flavor.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { openSession } from './snapshot-session.ts'
import type { SnapshotOptions } from './snapshot-steps.ts'
import { findTables, readStructure, type StructureStatement } from './snapshot-structure.ts'
import { StructureHistory } from './structure-history.ts'
import { scanBinlog, StructureScan } from './structure-scan.ts'

export interface RecoverySourceOptions extends SnapshotOptions {
  readonly connectorName: string
  /** Where the stream continues. */
  readonly stored: StreamPosition
  /** Reads the binlog from there on. */
  readonly binlog: BinlogStreamOptions
  /** Another interpreter of the same kind, without tables. */
  readonly createInterpreter: () => DdlInterpreter
}

/**
 * Rebuilds the schema history, for a connector that has an offset but no history, or a wrong one. It reads the
 * structure of the tables as they are now and stores it at the position of the offset. To find out whether rows after
 * that position fit this structure, it first reads the binlog from there up to now: a table whose columns were changed
 * after rows of it is an error.
 *
 * No lock is needed: a statement that runs while the structure is read is in that part of the binlog, too.
 */
export class RecoverySource implements ChangeSource {
  readonly #options: RecoverySourceOptions
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  #structure: StructureHistory | null = null

  constructor(options: RecoverySourceOptions) {
    this.#options = options
  }

  async poll(poll: Poll): Promise<SourceState> {
    const { clock, logger, stored } = this.#options
    try {
      this.#structure ??= await this.#recover(poll.signal)
      return (await this.#structure.handOver(stored, poll)) > 0 ? 'more' : 'over'
    } catch (thrown) {
      const error = toError(thrown)
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      const pauseMs = this.#backOff.next()
      logger.warn(`The recovery of the schema history starts again in ${pauseMs} ms`, { error })
      await clock.sleep(pauseMs, poll.signal)
      return 'idle'
    }
  }

  async #recover(signal: AbortSignal): Promise<StructureHistory> {
    const { config, stored, logger } = this.#options
    const { name, afterwards } = config.snapshotMode
    if (afterwards === 'history') logger.warn(`snapshot.mode=${name}: ${RECOVERY_REMINDER}`)
    const { statements, position } = await this.#readStructure(signal)
    await this.#compare(statements, position, signal)
    const structure = new StructureHistory({ ...this.#options, readsRows: false, batchRowsMax: config.batchRowsMax })
    await structure.persist(statements, stored, signal)
    logger.info(`The schema history is rebuilt from ${statements.length} statements`)
    return structure
  }

  async #readStructure(signal: AbortSignal): Promise<{
    readonly statements: readonly StructureStatement[]
    /** The position of the server after that. */
    readonly position: ServerPosition
  }> {
    const { connection: options, config, serverInfo, flavor, stored, clock, logger } = this.#options
    await using connection = await openSession(options, signal)
    const found = await findTables(connection, config, signal)
    logger.info(`Reading the structure of ${found.all.length} tables as they are now`)
    const statements = await readStructure(connection, found, serverInfo, signal)
    // Nothing is stored for a server that lags: its structure is older than the offset.
    const createdOf = (file: string, limit: AbortSignal): Promise<number | null> =>
      readFileCreated({ flavor, connection: options, clock }, file, limit)
    const server = { flavor, info: serverInfo, connection, readFileCreated: createdOf }
    const missing = await findMissing(server, stored, signal)
    if (missing !== null) throw this.#lacks(missing, connection.address)
    return { statements, position: await flavor.readPosition(connection, serverInfo, signal) }
  }

  #lacks(missing: MissingPosition, address: string): Error {
    const { stored, connectorName } = this.#options
    if (missing.lacking !== null)
      return connectorErrors.SERVER_BEHIND({ ...missing, address, minutes: LAGGING_MINUTES })
    const position = stored.gtids ?? `${stored.file}:${stored.position}`
    if (missing.isOtherHistory)
      return connectorErrors.BINLOG_RESET({ ...missing, address, position, connector: connectorName })
    return connectorErrors.POSITION_PURGED({ ...missing, address, position, connector: connectorName })
  }

  async #compare(statements: readonly StructureStatement[], until: ServerPosition, signal: AbortSignal): Promise<void> {
    const { stored, config, clock, logger, createInterpreter, binlog, connectorName } = this.#options
    // With GTIDs the stored file may be one of another server.
    if (stored.gtids === null && until.file === stored.file && until.position <= stored.position) return
    const interpreter = createInterpreter()
    for (const { database, sql } of statements) interpreter.interpret(sql, { database })
    const scan = new StructureScan({ filter: config.filter, interpreter })
    const [from, to] = [`${stored.file}:${stored.position}`, `${until.file}:${until.position}`]
    logger.info(`Looking for changes of the structure in the binlog from ${from} to ${to}`)
    await scanBinlog(scan, { binlog, until, clock, silenceMsMax: config.keepAliveIntervalMs }, signal)
    if (scan.findings.length === 0) {
      logger.info('No row after the stored offset was written under another structure than the current one')
      return
    }
    const error = connectorErrors.RECOVERY_STRUCTURE_CHANGED({
      changes: scan.findings.join('; '),
      position: from,
      connector: connectorName,
    })
    if (config.failureHandling === 'fail') throw error
    logger.warn('The recovery continues all the same', { error })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/** How long the stream waits for a lagging server, once there is a history. */
const LAGGING_MINUTES = 10
const RECOVERY_REMINDER =
  'the schema history is rebuilt from the tables as they are now, at each start. Set the mode back (initial) once the connector runs'
