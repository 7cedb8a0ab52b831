import type { SourcePartition, SourceTaskContext } from '@tributary/connect-api'
import type { ConnectorNumbers } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import type { ConnectorConfig } from './config/connector-config.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { StreamPosition } from './offset/stream-position.ts'

/** What a task is started with. */
export interface TaskSettings {
  readonly kind: ConnectorKind
  readonly context: SourceTaskContext
  readonly config: ConnectorConfig
  /** Warnings that are in the log already: a task may open many times until its brokers answer. */
  readonly loggedWarnings: Set<string>
  /** What the task counts, for its metrics. */
  readonly numbers: ConnectorNumbers
}

export type Activity = 'task' | 'snapshot' | 'streaming'

/** A logger with the three names that the log context shows: which connector, and what it is doing. */
export function taskLogger({ kind, context, config }: TaskSettings, activity: Activity): Logger {
  return context.logger.child({
    connectorType: kind.displayName,
    connectorName: config.topicPrefix,
    connectorContext: activity,
    logger: `${kind.schemaNamePrefix}.${activity}`,
  })
}

export function partitionOf({ config }: TaskSettings): SourcePartition {
  return { server: config.topicPrefix }
}

/** Null: there is no stored offset. */
export function storedPosition(settings: TaskSettings): StreamPosition | null {
  const document = settings.context.storedOffset(partitionOf(settings))
  return document === null ? null : StreamPosition.parse(document)
}
