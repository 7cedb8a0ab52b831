import type { ChangeSource, Poll, SourceState } from '@tributary/connector-kit'
import { BackOff, isRetriable, StoppedError, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { ServerPosition } from '../flavor/flavor.ts'
import { sameTableOn } from '../schema/statement-targets.ts'
import { ChangedTables } from './changed-tables.ts'
import { readCurrentStructure } from './current-structure.ts'
import { HistoryRebuild } from './history-rebuild.ts'
import type { RecoverySourceOptions } from './recovery-options.ts'
import type { StructureStatement } from './snapshot-structure.ts'
import { StructureHistory } from './structure-history.ts'
import { scanBinlog, StructureScan } from './structure-scan.ts'

/** As an operator reads it in the health of the task. */
const RECOVERY = 'rebuilding the schema history'

/**
 * Rebuilds the schema history, for a connector that has an offset but no history, or a wrong one.
 *
 * When the history is found to be lost, `HistoryRebuild` does it. When `snapshot.mode` asks for it, it reads the structure
 * of the tables as they are now and stores it at the position of the offset. To find out whether rows after that position
 * fit this structure, it first reads the binlog from there up to now: a table whose columns were changed after rows of it
 * is an error. A table that was changed before it had rows is not stored: the stream finds its definition when it meets
 * the statement.
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
      if (this.#structure === null) {
        this.#structure = await this.#recover(poll.signal)
        logger.outages?.ended(RECOVERY)
      }
      return (await this.#structure.handOver(stored, poll)) > 0 ? 'more' : 'over'
    } catch (thrown) {
      const error = toError(thrown)
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      const pauseMs = this.#backOff.next()
      logger.outages?.failed(RECOVERY, error, pauseMs)
      logger.warn(`The recovery of the schema history starts again in ${pauseMs} ms`, { error })
      await clock.sleep(pauseMs, poll.signal)
      return 'idle'
    }
  }

  async #recover(signal: AbortSignal): Promise<StructureHistory> {
    const { loss, onRebuilt } = this.#options
    const structure =
      loss === null ? await this.#recoverAsAsked(signal) : await new HistoryRebuild(this.#options, loss).run(signal)
    onRebuilt()
    return structure
  }

  async #recoverAsAsked(signal: AbortSignal): Promise<StructureHistory> {
    const { config, stored, logger, interpreter, serverInfo } = this.#options
    const { name, afterwards } = config.snapshotMode
    if (afterwards === 'history') logger.warn(`snapshot.mode=${name}: ${RECOVERY_REMINDER}`)
    const { statements, position } = await readCurrentStructure(this.#options, null, signal)
    const changed = new ChangedTables(interpreter, sameTableOn(serverInfo))
    await this.#compare(statements, position, changed, signal)
    const structure = new StructureHistory({ ...this.#options, readsRows: false, batchRowsMax: config.batchRowsMax })
    // With warn or skip, the user accepts rows under the current definition, also where a statement after the offset has
    // changed it.
    const isTolerant = config.failureHandling !== 'fail'
    await structure.persist(statements, stored, signal, (id) => !isTolerant && changed.whyChanged(id) !== null)
    logger.info(`The schema history is rebuilt from ${statements.length} statements`)
    return structure
  }

  async #compare(
    statements: readonly StructureStatement[],
    until: ServerPosition,
    changed: ChangedTables,
    signal: AbortSignal,
  ): Promise<void> {
    const { stored, config, clock, logger, createInterpreter, binlog, connectorName } = this.#options
    // With GTIDs the stored file may be one of another server.
    if (stored.gtids === null && until.file === stored.file && until.position <= stored.position) return
    const interpreter = createInterpreter()
    for (const { database, sql } of statements)
      interpreter.interpret(sql, { database, isPrinted: true, isReadFromServer: true })
    const scan = new StructureScan({ filter: config.filter, interpreter })
    const [from, to] = [`${stored.file}:${stored.position}`, `${until.file}:${until.position}`]
    logger.info(`Looking for changes of the structure in the binlog from ${from} to ${to}`)
    const both = {
      observe: (...[event, place]: Parameters<StructureScan['observe']>) => {
        scan.observe(event, place)
        changed.observe(event, place)
      },
    }
    await scanBinlog(both, { binlog, until, clock, silenceMsMax: config.keepAliveIntervalMs }, signal)
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

const RECOVERY_REMINDER =
  'the schema history is rebuilt from the tables as they are now, at each start. Set the mode back (initial) once the connector runs'
