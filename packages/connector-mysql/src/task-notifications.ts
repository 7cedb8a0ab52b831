import {
  NotificationRecords,
  NotificationStage,
  type NotificationStageOptions,
  type NotificationType,
} from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import { randomUUID } from 'node:crypto'
import type { NotifySnapshot } from './snapshot/snapshot-event.ts'
import { partitionOf, taskLogger, type TaskSettings } from './task-settings.ts'

/** Where notifications of a task go; null: nowhere. */
export interface TaskNotifications {
  readonly initial: NotifySnapshot
  readonly incremental: NotifySnapshot
  /** Null: they are logged only. */
  readonly stage: NotificationStage | null
}

export function notificationsOf(
  settings: TaskSettings,
  more: Pick<NotificationStageOptions, 'offsetOf'>,
): TaskNotifications | null {
  const { config, context } = settings
  const { isLogged, topic } = config.notifications
  // The snapshots of a rehearsal are no news.
  if ((!isLogged && topic === null) || context.isRehearsal === true) return null
  const logger = taskLogger(settings, 'task')
  const stage =
    topic === null
      ? null
      : new NotificationStage({
          records: new NotificationRecords({ partition: partitionOf(settings), topic }),
          ...more,
        })
  const notify = (aggregateType: 'Initial Snapshot' | 'Incremental Snapshot'): NotifySnapshot => {
    return (type, parts = {}) => {
      const data = new Map([['connector_name', config.topicPrefix], ...Object.entries(parts)])
      const notification = { id: randomUUID(), aggregateType, type, data, timestampMs: context.clock.now() }
      if (isLogged) log(logger, aggregateType, type, data)
      stage?.add(notification)
    }
  }
  return { initial: notify('Initial Snapshot'), incremental: notify('Incremental Snapshot'), stage }
}

function log(logger: Logger, aggregate: string, type: NotificationType, data: ReadonlyMap<string, string>): void {
  logger.info(`[Notification Service] ${aggregate}: ${type}`, { additionalData: Object.fromEntries(data) })
}
