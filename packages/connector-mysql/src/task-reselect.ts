import type { ChangeStage, TableId } from '@tributary/connector-kit'
import type { MySqlConnectionOptions } from '@tributary/mysql'
import { CompleteRows } from './reselect/complete-rows.ts'
import { ReselectStage } from './reselect/reselect-stage.ts'
import { RowReader } from './reselect/row-reader.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import type { CapturedTable } from './tables/captured-table.ts'
import type { TaskRecords } from './task-records.ts'
import { taskLogger, type TaskSettings } from './task-settings.ts'

/** The post processors of a task, and what they have open. */
export interface Reselection {
  /** Encloses the stage that makes records of rows. */
  around(rows: ChangeStage): ChangeStage
  close(): Promise<void>
}

export interface ReselectionOptions {
  readonly settings: TaskSettings
  readonly connection: MySqlConnectionOptions
  readonly interpreter: DdlInterpreter
  readonly records: TaskRecords
}

/** Null: the connector has none. */
export function reselectionOf({ settings, connection, interpreter, records }: ReselectionOptions): Reselection | null {
  const { config, context } = settings
  const { postProcessors, properties, values } = config
  if (postProcessors.length === 0) return null
  const logger = taskLogger(settings, 'streaming')
  const reader = new RowReader({ connection, clock: context.clock, logger })
  const tableOf = (id: TableId): CapturedTable | null => {
    const table = interpreter.tables.get(id)
    return table === undefined ? null : records.compiler.compile(table)
  }
  const common = {
    reader,
    tableOf,
    binary: values.binary,
    unavailable: values.unavailable,
    signalTable: properties['signal.data.collection'] ?? null,
    logger,
  }
  return {
    around: (rows) =>
      new CompleteRows(
        postProcessors.reduce<ChangeStage>(
          (stage, options) => new ReselectStage({ ...common, options, rows: stage }),
          rows,
        ),
      ),
    close: () => reader[Symbol.asyncDispose](),
  }
}
