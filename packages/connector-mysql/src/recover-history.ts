import type { SchemaHistory } from '@tributary/connector-kit'
import type { Flavor } from './flavor/flavor.ts'
import { StreamPosition } from './offset/stream-position.ts'
import { RepeatedRecords } from './repeated-records.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import { taskLogger, type TaskSettings } from './task-settings.ts'

export interface HistoryRecovery {
  readonly history: SchemaHistory
  readonly interpreter: DdlInterpreter
  readonly flavor: Flavor
  /** Changes after it are left out: the stream applies them. */
  readonly stored: StreamPosition
}

/** Brings the table model to the stored position. The stream checks that the server has what follows it. */
export async function recoverHistory(
  settings: TaskSettings,
  { history, interpreter, flavor, stored }: HistoryRecovery,
  signal: AbortSignal,
): Promise<void> {
  const { config } = settings
  const records = new RepeatedRecords(interpreter)
  let applied = 0
  await history.recover((record) => {
    if (record.source['server'] !== config.topicPrefix) return
    const recorded = StreamPosition.parse(record.position)
    if (recorded === null || !flavor.isAtOrBefore(recorded, stored)) return
    records.recover(record)
    applied += 1
  }, signal)
  taskLogger(settings, 'task').info(`Finished database schema history recovery of ${applied} change(s)`)
}
