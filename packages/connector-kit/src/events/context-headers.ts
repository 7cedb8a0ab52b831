import { type Header, Schemas } from '@tributary/connect-api'

/** The run of a task that makes a record. */
export interface RecordContext {
  /** `topic.prefix` */
  readonly logicalName: string
  readonly taskNumber: number
  /** Such as `mysql`. */
  readonly connectorType: string
  /** New at each start of the task. */
  readonly runId: string
}

/** The headers of `extended.headers.enabled`, in Debezium's order. */
export function contextHeaders({ logicalName, taskNumber, connectorType, runId }: RecordContext): readonly Header[] {
  const header = (name: string, value: string): Header => ({
    key: `__debezium.context.${name}`,
    schema: Schemas.string,
    value,
  })
  return [
    header('connectorLogicalName', logicalName),
    header('taskId', String(taskNumber)),
    header('connectorName', connectorType),
    header('runId', runId),
  ]
}
