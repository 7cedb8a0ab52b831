import { type BinlogEvent, type MySqlConnection, transactionControl } from '@tributary/mysql'
import { type Logger, StoppedError } from '@tributary/support'
import { connectorErrors } from '../../errors.ts'
import type { Flavor } from '../../flavor/flavor.ts'
import { AheadReader, type BinlogAheadOptions } from '../binlog-ahead.ts'
import { placeOf } from '../event-place.ts'
import type { LogPlace } from '../log-place.ts'
import { type UndonePart, UndoneParts } from './undone-parts.ts'

export interface RollbackFinderOptions {
  readonly ahead: BinlogAheadOptions
  readonly flavor: Pick<Flavor, 'readServerInfo'>
  readonly logger: Logger
}

/**
 * Reads a transaction to its end, on a connection of its own, to find the parts of it that were rolled back: before the
 * first records of a transaction are sent that is too large for one poll.
 */
export class RollbackFinder {
  readonly #options: RollbackFinderOptions

  constructor(options: RollbackFinderOptions) {
    this.#options = options
  }

  /**
   * @param from where the transaction begins; a dump may start there
   * @param identity of the server whose binlog it is; null: unknown
   * @throws retriable errors of the connection, also when it leads to another server; ROLLBACK_UNCLEAR; StoppedError
   */
  async find(from: LogPlace, identity: string | null, signal: AbortSignal): Promise<readonly UndonePart[]> {
    const { ahead, logger } = this.#options
    const { file } = from
    const until = { file, position: Number.MAX_SAFE_INTEGER }
    const inspect = this.#inspect(from, identity)
    await using reader = await AheadReader.open(ahead, { from, until, inspect }, signal)
    const undone = new UndoneParts(from.position, (position) => placeOf({ file, position }))
    for (;;) {
      const event = reader.take()
      const { file: current, order } = reader.header
      if (event === null) await reader.wait(signal)
      else if (current !== file) {
        // Transactions do not span files: the server crashed while it wrote this one.
        undone.rollBack(Number.MAX_SAFE_INTEGER)
        break
      } else if (takeEvent(undone, event, order) === 'over') break
      // Also lets a stop be noticed while events arrive faster than they are read.
      if (signal.aborted) throw new StoppedError()
    }
    if (undone.parts.length > 0) {
      const parts = undone.parts.map((part) => `${part.from}-${part.until}`).join(', ')
      logger.info(`The transaction at ${placeOf(from)} was rolled back in parts: their rows are no events`, { parts })
    }
    return undone.parts
  }

  /** An address may lead to another server than the stream's. */
  #inspect(place: LogPlace, before: string | null) {
    return async (connection: MySqlConnection, signal?: AbortSignal): Promise<void> => {
      const { identity: now } = await this.#options.flavor.readServerInfo(connection, signal)
      const { address } = connection
      if (before === null || before === now) return
      throw connectorErrors.DEFINITION_ELSEWHERE({ address, now, before, position: placeOf(place) })
    }
  }
}

function takeEvent(undone: UndoneParts, event: BinlogEvent, order: number): 'over' | 'inside' {
  switch (event.tag) {
    case 'xid':
    case 'xaPrepare':
      return 'over'
    case 'query': {
      const control = transactionControl(event.sql)
      if (control?.tag === 'inside') undone.takeStatement(event.sql, order)
      if (control?.tag !== 'end') return 'inside'
      if (control.by === 'ROLLBACK') undone.rollBack(order)
      return 'over'
    }
    default:
      return 'inside'
  }
}
