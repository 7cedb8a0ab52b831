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
  if (context.isRehearsal === true) return null
  if (!isLogged && topic === null && context.notify === undefined) return null
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
      // Those that are in progress have a progress: there may be one for each chunk.
      if (type !== 'IN_PROGRESS') {
        context.notify?.({ aggregateType, type, data: shortened(parts), timestampMs: notification.timestampMs })
      }
      stage?.add(notification)
    }
  }
  return { initial: notify('Initial Snapshot'), incremental: notify('Incremental Snapshot'), stage }
}

/** For people: the names of thousands of tables would be sent with each of them. */
function shortened(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const cut = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text)
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, cut(text)]))
}

const TEXT_MAX = 500

function log(logger: Logger, aggregate: string, type: NotificationType, data: ReadonlyMap<string, string>): void {
  logger.info(`[Notification Service] ${aggregate}: ${type}`, { additionalData: Object.fromEntries(data) })
}
