import { type Header, Schemas } from '@tributary/connect-api'

/** Which run of which task a record comes from. */
export interface RecordContext {
  /** `topic.prefix` */
  readonly logicalName: string
  readonly taskNumber: number
  /** `mysql`, `mariadb` */
  readonly connectorType: string
  /** Another one for every start of the task. */
  readonly runId: string
}

/** The headers of `extended.headers.enabled`, in the reference's order. */
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
