import type { BinlogStreamOptions } from '@tributary/mysql'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { HistoryLoss } from './history-loss.ts'
import type { SnapshotOptions } from './snapshot-steps.ts'

export interface RecoverySourceOptions extends SnapshotOptions {
  readonly connectorName: string
  /** Where the stream continues. */
  readonly stored: StreamPosition
  /** Reads the binlog from there on. */
  readonly binlog: BinlogStreamOptions
  /** Another interpreter of the same kind, without tables. */
  readonly createInterpreter: () => DdlInterpreter
  /** What of the history is missing; null: `snapshot.mode` asks for the recovery. */
  readonly loss: HistoryLoss | null
  /** Called when the history has been rebuilt. */
  readonly onRebuilt: () => void
}
