import {
  type ChangeStage,
  HeartbeatRecords,
  HeartbeatStage,
  type HeartbeatStageOptions,
} from '@tributary/connector-kit'
import type { MySqlConnectionOptions } from '@tributary/mysql'
import { partitionOf, taskLogger, type TaskSettings } from './task-settings.ts'
import { HeartbeatQuery } from './heartbeat/heartbeat-query.ts'

/** The stage that writes heartbeats, and what it has open. */
export interface Heartbeat {
  readonly stage: ChangeStage
  close(): Promise<void>
}

/** Null: the connector writes none. */
export function heartbeatOf(
  settings: TaskSettings,
  connection: MySqlConnectionOptions,
  more: Pick<HeartbeatStageOptions, 'offsetOf'>,
): Heartbeat | null {
  const { config, context } = settings
  const { heartbeat } = config
  // The action is the other program's, and its heartbeats come when they come.
  if (heartbeat === null || context.isRehearsal === true) return null
  const { intervalMs, topic, actionQuery } = heartbeat
  const logger = taskLogger(settings, 'streaming')
  const query =
    actionQuery === null ? null : new HeartbeatQuery({ sql: actionQuery, connection, clock: context.clock, logger })
  const records = new HeartbeatRecords({
    partition: partitionOf(settings),
    topic,
    serverName: config.topicPrefix,
  })
  const action = query === null ? null : (signal: AbortSignal): Promise<void> => query.run(signal)
  return {
    stage: new HeartbeatStage({ records, intervalMs, action, ...more }),
    close: async () => query?.[Symbol.asyncDispose](),
  }
}
